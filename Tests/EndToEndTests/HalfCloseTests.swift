import GateTestSupport
import Testing

/// A client may close its side as soon as it has said everything (RFC 9112 9.6).
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HalfCloseTests {
    private static let chunked = "Transfer-Encoding: chunked\r\n"

    @Test
    func `everything that was sent before the end is answered`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            let requests = [
                Request.text("GET", "/1"),
                Request.text("POST", "/2", body: "counted"),
                Request.text("POST", "/3", fields: Request.outdated, body: "denied"),
                Request.text("POST", "/4", fields: Self.chunked) + "2\r\nhi\r\n0\r\n\r\n",
                Request.text("GET", "/5"),
            ]
            try client.send(requests.joined())
            client.finishSending()
            let responses = try requests.map { _ in try client.response() }
            #expect(responses.map(\.status) == [200, 200, 426, 200, 200])
            #expect(try client.rest().bytes == [])
            #expect(responses.last?.fields.tokens("Connection") == ["close"])
            let record = try scene.finalRecord()
            #expect(record.targets == ["/1", "/2", "/4", "/5"])
        }
    }

    @Test(arguments: [
        "GET /half HTTP/1.1\r\nHost: ga",
        Request.text("POST", "/half", fields: "Content-Length: 9\r\n") + "1234",
        Request.text("POST", "/half", fields: Self.chunked) + "4\r\n1234\r\n",
        Request.text("POST", "/half", fields: Self.chunked) + "4\r\n1234\r\n0\r",
    ])
    func `what is cut short by the end has no answer, and does not look complete`(
        _ rest: String
    ) async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Request.text("GET", "/1") + Request.text("GET", "/2") + rest)
            client.finishSending()
            #expect(try client.response().status == 200)
            #expect(try client.response().status == 200)
            #expect(try client.rest(by: .after(.seconds(5))).bytes == [])
            let record = try scene.finalRecord()
            #expect(record.exchanges.filter(\.isComplete).map(\.request.target) == ["/1", "/2"])
        }
    }

    @Test
    func `an upload that the backend takes slowly arrives whole`() async throws {
        let size = 4 << 20
        // The backend works on every byte, which takes its time where others want the processor, too.
        let deadline = Deadline.after(.seconds(120) * GateExecutable.slowdown)
        let flags = [GateFlag.responseTimeout(seconds: 60 * GateExecutable.slowdown)]
        let script: ScriptedBackend.Script = { _ in [.pause(milliseconds: 300), .digest] }
        try await Scene.play(flags: flags, backend: script) { scene in
            // Made first, for it takes longer than a client may be silent where all is slow.
            let body = BodyPattern.bytes(0..<size)
            let client = try scene.connect()
            try client.send(Request.text("POST", fields: "Content-Length: \(size)\r\n"))
            try client.send(body, by: deadline)
            client.finishSending()
            let response = try client.response(by: deadline)
            let report: DigestReport = try response.json()
            #expect(report.bodyLength == size)
        }
    }
}
