import GateTestSupport
import Testing

/// A client may close its write side as soon as it has sent everything (RFC 9112 section 9.6).
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HalfCloseTests {
    private static let chunked = "Transfer-Encoding: chunked\r\n"

    @Test
    func `every request before the end of the connection gets a response`() async throws {
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
    func `a request that is cut short gets no response, and never looks complete`(
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
    func `an upload that the backend reads slowly arrives complete`() async throws {
        let size = 4 << 20
        // The backend processes every byte, so this takes longer on a busy machine.
        let deadline = Deadline.after(.seconds(120) * GateExecutable.slowdown)
        let flags = [GateFlag.responseTimeout(seconds: 60 * GateExecutable.slowdown)]
        let script: ScriptedBackend.Script = { _ in [.pause(milliseconds: 300), .digest] }
        try await Scene.play(flags: flags, backend: script) { scene in
            // Created before the connection, because on a slow machine this takes longer than a client may be idle.
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
