import GateTestSupport
import Glibc
import Testing

/// The admin listener, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AdminListenerTests {
    private func play(
        flags: [GateFlag] = [.adminListen()],
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await Scene.play(flags: flags) { scene in try await body(scene) }
    }

    private static let feeds = Request.text("GET", "/feeds", host: "localhost")

    @Test func `the admin listener runs only with its flag`() async throws {
        try await self.play(flags: []) { scene in
            #expect(scene.gate.adminPort == nil)
            // Clients cannot get the status of feeds either: `/feeds` belongs to the backend.
            try #require(try scene.ask(Request.text("GET", "/feeds")).status == 200)
            #expect(scene.backend.record.requests.map(\.target) == ["/feeds"])
        }
    }

    @Test func `the feeds page reports the active rules, and the errors of rejected ones`()
        async throws
    {
        try await self.play { scene in
            let first = try FeedsPage(of: scene.gate)
            #expect(first.rules.lastReloadSuccessful)
            #expect(first.rules.revision?.isEmpty == false)
            #expect(first.feeds.isEmpty)
            try scene.folder.replace("rules.yaml", with: RulesText.broken(line: 3))
            let second = try await scene.waitForPage("the error") {
                !$0.rules.lastReloadSuccessful
            }
            #expect(second.rules.revision == first.rules.revision)
            #expect(second.rules.errors?.contains { $0.contains("rules.yaml:3:1: ") } == true)
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "5.0.0"))
            let third = try await scene.waitForPage("the reload") { $0.rules.lastReloadSuccessful }
            #expect(third.rules.revision != first.rules.revision)
            #expect(third.rules.errors == nil)
        }
    }

    @Test func `each method and target gets its status`() async throws {
        try await self.play { scene in
            for (method, target, status) in [
                ("GET", "/feeds", 200), ("GET", "/feeds?pretty", 200), ("HEAD", "/feeds", 200),
                ("POST", "/feeds", 405), ("DELETE", "/feeds", 405), ("GET", "/nothing", 404),
                ("GET", "/feeds/", 404), ("OPTIONS", "*", 404), ("GET", "/hooks/one", 405),
                ("POST", "/hooks/one", 404), ("POST", "/hooks/", 404), ("PUT", "/hooks/one", 405),
            ] {
                let answer = try scene.askAdmin(
                    Request.text(method, target, host: "[::1]:1", body: "{}")
                )
                #expect(answer.status == status, "\(method) \(target)")
                let type = status == 200 ? "application/json" : "application/problem+json"
                #expect(answer.fields["Content-Type"] == [type])
                #expect(answer.fields["Cache-Control"] == ["no-store"])
                let methods = target.hasPrefix("/hooks/") ? "POST" : "GET, HEAD"
                #expect(answer.fields["Allow"] == (status == 405 ? [methods] : []))
                #expect(answer.body.isEmpty == (method == "HEAD"))
            }
        }
    }

    @Test func `a body that is too large is rejected before, while and after it is sent`()
        async throws
    {
        try await self.play { scene in
            let limit = 1 << 20
            let head = "POST /hooks/one HTTP/1.1\r\nHost: gate\r\n"
            let large = String(repeating: "x", count: limit + 1)
            let chunk = "100000\r\n" + String(repeating: "x", count: limit) + "\r\n"
            for (request, status) in [
                (head + "Content-Length: \(limit + 1)\r\n\r\n", 413),
                (head + "Content-Length: \(limit + 1)\r\n\r\n\(large)", 413),
                (head + "Content-Length: 99999999999\r\n\r\n", 413),
                (head + "Content-Length: \(limit)\r\n\r\n\(large.dropLast())", 404),
                (head + "Transfer-Encoding: chunked\r\n\r\n\(chunk)1\r\nx\r\n", 413),
                (head + "Transfer-Encoding: chunked\r\n\r\n\(chunk)0\r\n\r\n", 404),
            ] {
                let client = try RawClient(port: try #require(scene.gate.adminPort))
                try client.send(request)
                let answer = try client.response()
                #expect(answer.status == status, "\(request.prefix(100))")
                #expect(answer.fields["Connection"] == (status == 413 ? ["close"] : []))
            }
            let client = try RawClient(port: try #require(scene.gate.adminPort))
            try client.send(head + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.head()?.status == 100)
            try client.send("{}")
            #expect(try client.response().status == 404)
            let other = try RawClient(port: try #require(scene.gate.adminPort))
            let fields = "Content-Length: \(limit + 1)\r\nExpect: 100-continue\r\n\r\n"
            try other.send(head + fields)
            // No 100 precedes this response.
            #expect(try other.response().status == 413)
            #expect(try other.rest().by == .closed)
        }
    }

    @Test(arguments: [
        "POST /hooks/a HTTP/1.1\r\nContent-Length: 8388608\r\n\r\n",
        "POST /hooks/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n800000\r\n",
        "POST /hooks/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n900000\r\n",
        "POST /feeds HTTP/1.1\r\nContent-Length: 8388608\r\n\r\n",
        "POST /nothing HTTP/1.1\r\nContent-Length: 8388608\r\n\r\n",
        "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nX: ",
    ])
    func `a client that reads only after writing 8 MiB still gets the error`(
        beginning: String
    ) async throws {
        try await self.play { scene in
            let client = try RawClient(port: try #require(scene.gate.adminPort))
            try client.send(beginning)
            try client.send([UInt8](repeating: 0x78, count: 8 << 20))
            let answer = try client.response()
            #expect(400..<500 ~= answer.status)
            #expect(answer.isComplete)
            #expect(answer.fields["Connection"] == ["close"])
            #expect(try answer.problem().status == answer.status)
            #expect(try client.rest().by == .closed)
            #expect(try scene.askAdmin(Self.feeds).status == 200)
        }
    }

    @Test func `an upgrade request gets a normal response, and the connection closes`()
        async throws
    {
        try await self.play { scene in
            let client = try RawClient(port: try #require(scene.gate.adminPort))
            let fields = "Connection: upgrade\r\nUpgrade: h2c\r\n"
            try client.send(Request.text("GET", "/-/healthy", fields: fields))
            let answer = try client.response()
            #expect(answer.status == 200)
            #expect(answer.fields["Connection"] == ["close"])
            // If the connection stayed open, the gate would buffer all bytes that follow.
            try client.send([UInt8](repeating: 0x78, count: 8 << 20))
            #expect(try client.rest().by == .closed)
        }
    }

    @Test(arguments: [
        "\r\n\r\n\r\n", "nonsense\r\n\r\n", "GET /feeds\r\n\r\n",
        "GET /feeds HTTP/9.9\r\n\r\n", "GET /feeds HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET /feeds HTTP/1.1\r\n\u{1}: x\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST /hooks/a HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST /hooks/a HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST /hooks/a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "GET /feeds HTTP/1.1\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n",
        "GET /" + String(repeating: "x", count: 20_000) + " HTTP/1.1\r\n\r\n",
        "GET /feeds HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 101) + "\r\n",
    ])
    func `malformed input gets a 400 or closes the connection, and does no harm`(
        nonsense: String
    ) async throws {
        try await self.play { scene in
            let client = try RawClient(port: try #require(scene.gate.adminPort))
            try client.send(nonsense)
            client.finishSending()
            let rest = String(decoding: try client.rest().bytes, as: UTF8.self)
            let isAnswered = rest.hasPrefix("HTTP/1.1 4") && rest.contains("\"detail\" : \"")
            #expect(rest.isEmpty || isAnswered, "\(rest)")
            #expect(try scene.askAdmin(Self.feeds).status == 200)
            #expect(try scene.ask(Request.text(fields: Request.current)).status == 200)
        }
    }

    @Test(arguments: [("0", 421), ("localhost:0", 421), ("0.0.0.0:0", 200), ("[::]:0", 200)])
    func `a foreign host name that resolves to loopback gets no content`(
        place: String,
        status: Int
    ) async throws {
        let token = try TemporaryFolder()
        defer { token.remove() }
        try token.writeInPlace("0123456789abcdef", to: "token")
        let file = GateFlag.adminTokenFile(path: token.path(of: "token"))
        try await self.play(flags: [.adminListen(place), file]) { scene in
            for (host, status) in [
                ("evil.example", status), ("localhost.", status), ("localhost:1", 200),
                ("192.0.2.1", 200),
            ] {
                let answer = try scene.askAdmin(
                    Request.text(
                        "GET",
                        "/feeds",
                        host: host,
                        fields: "Authorization: Bearer 0123456789abcdef\r\n"
                    )
                )
                #expect(answer.status == status, "\(host)")
                #expect(answer.text.contains("\"detail\"") == (status == 421))
                let hook = Request.text("POST", "/hooks/a", host: host, body: "{}")
                #expect(try scene.askAdmin(hook).status == 404)
            }
        }
    }

    @Test func `a connection serves one request after the other`() async throws {
        try await self.play { scene in
            let client = try RawClient(port: try #require(scene.gate.adminPort))
            try client.send(Self.feeds + Self.feeds + Request.text("POST", "/hooks/a", body: "{}"))
            #expect(try client.response().status == 200)
            #expect(try client.response().status == 200)
            #expect(try client.response().status == 404)
            try client.send("GET /feeds HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(try client.response().fields["Connection"] == ["close"])
            #expect(try client.rest().bytes.isEmpty)
            try #require(try scene.askAdmin("GET /feeds HTTP/1.0\r\n\r\n").status == 200)
        }
    }

    @Test func `a draining gate responds until the last request ends, as healthy but not ready`()
        async throws
    {
        let finish = Latch()
        try await Scene.play(
            flags: [.adminListen(), .drainTimeout(seconds: 20)],
            backend: { _ in [.wait(finish), .answer(body: "late")] }
        ) { scene in
            let client = try scene.connect()
            try client.send(Request.text(fields: Request.current))
            try scene.backend.waitForRequests(1)
            scene.gate.send(signal: SIGTERM)
            try scene.gate.logLine("the drain") { $0.message == "draining" }
            #expect(try scene.askAdmin(Self.feeds).status == 200)
            for (target, status) in [("/-/ready", 503), ("/-/healthy", 200)] {
                let probe = Request.text("GET", target, host: "localhost")
                #expect(try scene.askAdmin(probe).status == status)
            }
            finish.open()
            #expect(try client.response().text == "late")
            client.close()
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test func `an unusable address stops the start with the reason`() async throws {
        try await self.play { scene in
            let port = try #require(scene.gate.adminPort)
            for (place, reason) in [
                ("nowhere", "--admin-listen 'nowhere': expected PORT or HOST:PORT"),
                ("99999", "--admin-listen '99999': expected PORT or HOST:PORT"),
                ("\(port)", "cannot open the admin listener"), ("\(port)", "\"127.0.0.1:\(port)\""),
            ] {
                let error = #expect(throws: HarnessError.self) {
                    try GateProcess(
                        upstreamPort: scene.backend.port,
                        rules: scene.folder.file("rules.yaml"),
                        flags: [.adminListen(place)]
                    )
                }
                #expect(error?.description.contains(reason) == true)
            }
        }
    }

    @Test func `gates that share a port hand over the admin port, too`() async throws {
        let flags: [GateFlag] = [.reusePort, .drainTimeout(seconds: 20)]
        try await self.play(flags: flags + [.adminListen()]) { scene in
            let port = try #require(scene.gate.adminPort)
            let next = try GateProcess(
                upstreamPort: scene.backend.port,
                rules: scene.folder.file("rules.yaml"),
                flags: flags + [.listen(port: scene.gate.port), .adminListen("\(port)")]
            )
            #expect(next.adminPort == port)
            scene.gate.send(signal: SIGTERM)
            try scene.gate.logLine("the drain") { $0.message == "draining" }
            #expect(try scene.gate.waitForExit(by: .after(.seconds(25))) == .status(0))
            for _ in 0..<8 { _ = try FeedsPage(of: next) }
        }
    }

    @Test func `an inherited socket named admin is the admin listener`() async throws {
        let socket = try LoopbackListener.listen()
        defer { _ = close(socket) }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        try await Scene.play(in: folder, surroundings: .socket(socket, name: "admin")) { scene in
            let port = try LoopbackListener.port(of: socket)
            #expect(scene.gate.adminPort == port)
            #expect(scene.gate.port != port)
            #expect(try FeedsPage(of: scene.gate).feeds.isEmpty)
            #expect(try scene.ask(Request.text(fields: Request.current)).status == 200)
        }
    }
}
