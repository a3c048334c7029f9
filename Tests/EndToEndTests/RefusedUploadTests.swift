import GateTestSupport
import Glibc
import Testing

/// Denied uploads over HTTP/1.1.
///
/// Once a load balancer that accepts HTTP/2 from clients has the response, it stops sending the body and reuses the
/// connection for another client's request. HAProxy 2.6 and 2.8 lost one in five such requests. A reusable connection
/// must therefore have no outstanding body.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct RefusedUploadTests {
    private static let chunked = Request.outdated + "Transfer-Encoding: chunked\r\n"

    private static func counted(_ length: Int) -> String {
        Request.text("POST", "/a", fields: Request.outdated + "Content-Length: \(length)\r\n")
    }

    private static func awaitDecision(_ scene: Scene) throws {
        try Deadline.usual.poll("the decision") {
            let requests = try scene.metrics().samples(of: "versiongate_requests_total")
            let denials = requests.filter { $0.key.contains("decision=\"require\"") }
            return denials.values.contains(1) ? true : nil
        }
    }

    /// The heads of requests, each with the remaining parts of its body.
    private static let bodies: [(head: String, pieces: [String])] = [
        (counted(10), ["0123456789"]),
        (counted(10), ["01234", "56789"]),
        (counted(60_000), [String(repeating: "x", count: 60_000)]),
        (Request.text("POST", "/a", fields: chunked), ["a\r\n0123456789\r\n", "0\r\n\r\n"]),
        (
            Request.text("POST", "/a", fields: chunked) + "a\r\n01234",
            ["56789\r\n0\r\nX: y\r\n\r\n"]
        ),
    ]

    @Test(arguments: bodies.indices)
    func `the response waits for a small body, and the connection stays open`(
        _ index: Int
    ) async throws {
        let (head, pieces) = Self.bodies[index]
        try await Scene.play(flags: [.adminListen()]) { scene in
            let client = try scene.connect()
            try client.send(head)
            // The decision has been made: a response that does not wait for the body would have arrived by now.
            try Self.awaitDecision(scene)
            for piece in pieces { try client.send(piece) }
            let denial = try client.response()
            #expect(denial.status == 426)
            #expect(denial.fields["Connection"] == [])
            try client.send(Request.text("GET", "/next", fields: Request.current))
            let echo: EchoReport = try client.response().json()
            #expect(echo.target == "/next")
        }
    }

    @Test func `the response waits for a large body, if the settings permit it`() async throws {
        let flags: [GateFlag] = [.maxAwaitedBytes(4_000_000), .awaitTimeout(seconds: 20)]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connect()
            let half = String(repeating: "x", count: 1_500_000)
            try client.send(Self.counted(3_000_000))
            try client.send(half)
            // By default, the response would be sent after a second.
            let early = try? client.response(by: .after(.milliseconds(1500)))
            #expect(early == nil)
            try client.send(half)
            let denial = try client.response()
            #expect(denial.status == 426)
            #expect(denial.fields["Connection"] == [])
            try client.send(Request.text("GET", "/next", fields: Request.current))
            let echo: EchoReport = try client.response().json()
            #expect(echo.target == "/next")
        }
    }

    @Test func `a response that waits is sent before the gate exits`() async throws {
        let flags: [GateFlag] = [
            .awaitTimeout(seconds: 60), .drainTimeout(seconds: 2), .adminListen(),
        ]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connect()
            let other = try scene.connectHTTP2()
            try client.send(Self.counted(10) + "01234")
            let fields: [HTTP2Fields.Field] = [
                ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"),
                ("x-app-version", "3.4.9"), ("content-length", "10"),
            ]
            try other.request(1, "POST", "/a", fields, endsStream: false)
            try Deadline.usual.poll("both decisions") {
                let requests = try scene.metrics().samples(of: "versiongate_requests_total")
                let denials = requests.filter { $0.key.contains("decision=\"require\"") }
                return denials.values.reduce(0, +) >= 2 ? true : nil
            }
            scene.gate.send(signal: SIGTERM)
            let denial = try client.response(by: .after(.seconds(10)))
            #expect(denial.status == 426)
            #expect(try other.response(1).status == 426)
            client.finishSending()
            other.close()
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test func `the response to a large body waits only while there is a budget`() async throws {
        let flags: [GateFlag] = [
            .maxAwaitedBytes(4_000_000), .awaitTimeout(seconds: 20),
            .maxDiscardedBytes(50_000), .discardTimeout(seconds: 60),
        ]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connect()
            try client.send(Self.counted(3_000_000) + String(repeating: "x", count: 1_000_000))
            let denial = try client.response()
            #expect(denial.status == 426)
            #expect(denial.fields["Connection"] == ["close"])
        }
    }

    @Test(arguments: [
        counted(10) + "01234", Request.text("POST", "/a", fields: chunked) + "5\r\n0",
    ])
    func `the gate does not wait for a body that stalls, and closes the connection`(
        _ request: String
    ) async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(request)
            let denial = try client.response(by: .after(.seconds(10)))
            #expect(denial.status == 426)
            #expect(denial.fields["Connection"] == ["close"])
            #expect(try denial.problem().rule == "ios")
            // All bytes that follow belong to the body.
            try client.send(Request.text("GET", "/next", fields: Request.current))
            client.finishSending()
            #expect(try client.rest().bytes == [])
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test func `a client that omits the rest of a small body gets its response`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Self.counted(10) + "01234")
            client.finishSending()
            let denial = try client.response()
            #expect(denial.status == 426)
            #expect(denial.fields["Connection"] == ["close"])
            #expect(try client.rest().bytes == [])
        }
    }

    @Test func `a chunked body that turns out to be large closes the connection`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/a", fields: Self.chunked))
            let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
            for _ in 0..<20 { try client.send(chunk) }
            let denial = try client.response()
            #expect(denial.status == 426)
            #expect(denial.fields["Connection"] == ["close"])
            for _ in 0..<20 { try client.send(chunk) }
            try client.send("0\r\n\r\n" + Request.text("GET", "/next", fields: Request.current))
            client.finishSending()
            #expect(try client.rest().bytes == [])
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test func `a malformed body closes the connection after the response`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/a", fields: Self.chunked) + "no length\r\n")
            let denial = try client.response()
            #expect(denial.status == 426)
            #expect(denial.fields["Connection"] == ["close"])
        }
    }

    @Test func `a backend response before the end of the body is the last on the connection`()
        async throws
    {
        let early = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"
        try await Scene.play(backend: { _ in [.send(early), .stall] }) { scene in
            let client = try scene.connect()
            let head = "Content-Length: 3000000\r\n"
            try client.send(Request.text("POST", "/a", fields: Request.current + head))
            let answer = try client.response()
            #expect(answer.status == 401)
            #expect(answer.fields["Connection"] == ["close"])
        }
    }

    @Test func `a gate that shuts down still answers requests that wait for their bodies`()
        async throws
    {
        try await Scene.play(flags: [.drainTimeout(seconds: 20), .adminListen(), .threads(1)]) {
            scene in
            let idle = try scene.connect()
            try idle.send(Request.text("GET", "/", fields: Request.current))
            #expect(try idle.response().status == 200)
            let client = try scene.connect()
            try client.send(Self.counted(10))
            try Self.awaitDecision(scene)
            scene.gate.send(signal: SIGTERM)
            // An idle connection ends as soon as its event loop starts to drain.
            #expect(try idle.rest().bytes == [])
            try client.send("0123456789")
            let denial = try client.response()
            #expect(denial.status == 426)
            #expect(denial.fields["Connection"] == ["close"])
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }
}
