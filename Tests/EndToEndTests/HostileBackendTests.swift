import GateTestSupport
import Testing

/// An answer that two readers could read differently is not passed on.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(1)))
struct HostileBackendTests {
    struct Hostile: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: String

        init(_ name: String, _ bytes: String) {
            self.testDescription = name
            self.bytes = bytes
        }

        /// A good status line, then these lines and a body of five bytes.
        static func fields(_ name: String, _ lines: String) -> Hostile {
            Hostile(name, "HTTP/1.1 200 OK\r\n\(lines)\r\nhello")
        }
    }

    static let refused: [Hostile] = [
        .fields("both lengths", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        .fields("two Content-Lengths that differ", "Content-Length: 5\r\nContent-Length: 6\r\n"),
        .fields("a list of Content-Lengths", "Content-Length: 5, 6\r\n"),
        .fields("a negative Content-Length", "Content-Length: -5\r\n"),
        .fields("a Content-Length of +5", "Content-Length: +5\r\n"),
        .fields("an empty Content-Length", "Content-Length: \r\n"),
        .fields("a Content-Length of 20 digits", "Content-Length: 99999999999999999999\r\n"),
        .fields("an unknown coding", "Transfer-Encoding: xchunked\r\n"),
        .fields("chunked, then another coding", "Transfer-Encoding: chunked, gzip\r\n"),
        .fields("chunked twice", "Transfer-Encoding: chunked, chunked\r\n"),
        .fields("a NUL in a value", "X-A: \0\r\nContent-Length: 5\r\n"),
        .fields("a bare CR in a value", "X-A: 1\rX-B: 2\r\nContent-Length: 5\r\n"),
        .fields("no colon", "X-A\r\nContent-Length: 5\r\n"),
        .fields("an empty name", ": 1\r\nContent-Length: 5\r\n"),
        .fields("a space in a name", "X A: 1\r\nContent-Length: 5\r\n"),
        .fields("a megabyte of fields", "X-A: \(String(repeating: "a", count: 1 << 20))\r\n"),
        Hostile("no status", "HTTP/1.1\r\n\r\n"),
        Hostile("a status of letters", "HTTP/1.1 abc OK\r\n\r\n"),
        Hostile("a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"),
        Hostile("a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"),
        Hostile("a status of 099", "HTTP/1.1 099 OK\r\n\r\n"),
        Hostile("another protocol", "ICY 200 OK\r\n\r\n"),
        Hostile("HTTP/2.0", "HTTP/2.0 200 OK\r\n\r\n"),
        Hostile("no HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        Hostile("a switch that nobody asked for", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"),
        Hostile("an interim answer alone", "HTTP/1.1 103 Hints\r\n\r\n"),
    ]

    @Test(arguments: Self.refused)
    func `an ambiguous answer becomes a 502`(_ hostile: Hostile) async throws {
        let bytes = hostile.bytes
        try await Scene.play(backend: { _ in [.send(bytes), .close] }) { scene in
            let client = try scene.connect()
            try client.send(Request.text())
            var response = try client.response()
            while response.status == 103 {
                response = try client.response()
            }
            #expect(response.status == 502)
            _ = try response.problem()
            client.close()
            #expect(try scene.finalRecord().requests.count == 1)
        }
    }

    /// Answers that RFC 9112 lets a proxy repair instead of refusing.
    static let repairable: [Hostile] = [
        .fields("a space before the colon", "X-A : 1\r\nContent-Length: 5\r\n"),
        .fields("a folded line", "X-A: 1\r\n 2\r\nContent-Length: 5\r\n"),
        .fields("two equal Content-Lengths", "Content-Length: 5\r\nContent-Length: 5\r\n"),
    ]

    @Test(arguments: Self.repairable)
    func `a faulty answer is repaired or becomes a 502`(_ hostile: Hostile) async throws {
        let bytes = hostile.bytes
        try await Scene.play(backend: { _ in [.send(bytes), .close] }) { scene in
            let response = try scene.ask(Request.text())
            if response.status == 200 {
                #expect(response.text == "hello")
                #expect(response.fields["Content-Length"].count <= 1)
                #expect(response.fields.lines.allSatisfy { !$0.name.contains(" ") })
            } else {
                #expect(response.status == 502)
            }
        }
    }

    @Test(arguments: [204, 304])
    func `a body where none can be answers nobody`(_ status: Int) async throws {
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
        let answer = "HTTP/1.1 \(status) None\r\nContent-Length: \(poison.utf8.count)\r\n\r\n"
        let script: ScriptedBackend.Script = {
            $0.connection == 0 ? [.send(answer + poison)] : [.echo]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("GET", "/none"))
            let response = try client.response()
            #expect([502, status].contains(response.status))
            let next = response.status == 502 ? try scene.connect() : client
            try next.send(Request.text("GET", "/next"))
            #expect(try next.response().json(EchoReport.self).target == "/next")
        }
    }

    @Test
    func `a body after the answer to HEAD answers nobody`() async throws {
        let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(poison.utf8.count)\r\n\r\n"
        let script: ScriptedBackend.Script = {
            $0.connection == 0 ? [.send(answer + poison)] : [.echo]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connect()
            try client.send(Request.text("HEAD", "/none"))
            let response = try client.response(toHead: true)
            #expect([200, 502].contains(response.status))
            let next = response.status == 502 ? try scene.connect() : client
            try next.send(Request.text("GET", "/next"))
            #expect(try next.response().json(EchoReport.self).target == "/next")
        }
    }

    @Test
    func `interim answers without end are cut off`() async throws {
        let hints = Array(repeating: "HTTP/1.1 103 Hints\r\n\r\n", count: 100_000).joined()
        let flags = [GateFlag.responseTimeout(seconds: 1)]
        try await Scene.play(flags: flags, backend: { _ in [.send(hints), .stall] }) { scene in
            let client = try scene.connect()
            try client.send(Request.text())
            var last: RawResponse?
            while let head = try client.head(), head.status == 103 {
                last = head
            }
            #expect(try scene.gate.peakResidentSize() < 100 << 20)
            withExtendedLifetime(last) {}
        }
    }
}
