import GateTestSupport
import Testing

/// Several backends of one gate, and the ways to configure them.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct UpstreamTests {
    private static let echo: ScriptedBackend.Script = { _ in [.echo] }

    /// Runs a gate with existing backends.
    private func play(
        _ backends: [ScriptedBackend],
        upstream: String? = nil,
        flags: [GateFlag] = [],
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: flags,
            backends: backends,
            upstream: upstream,
            body
        )
    }

    @Test
    func `requests go to each backend in turn`() async throws {
        let backends = try (0..<3).map { _ in try ScriptedBackend(script: Self.echo) }
        try await self.play(backends) { scene in
            let client = try scene.connect()
            for index in 0..<9 {
                try client.send(Request.text("GET", "/\(index)"))
                #expect(try client.response().json(EchoReport.self).target == "/\(index)")
            }
            #expect(backends.map(\.record.exchanges.count) == [3, 3, 3])
            #expect(backends.map(\.record.connections.count) == [1, 1, 1])
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `clients do not notice that one of two backends is down`(_ method: String) async throws {
        let backends = try (0..<2).map { _ in try ScriptedBackend(script: Self.echo) }
        backends[0].stopListening()
        try await self.play(backends) { scene in
            for index in 0..<20 {
                let response = try scene.ask(Request.text(method, "/\(index)", body: "x"))
                #expect(response.status == 200)
            }
            try scene.gate.logLine("one backend left out") {
                $0.message == "a backend address is temporarily excluded"
                    && $0.metadata["address"] == "127.0.0.1:\(backends[0].port)"
            }
        }
        #expect(backends[1].record.exchanges.count == 20)
    }

    @Test
    func `one healthy backend replaces three that refuse connections`() async throws {
        let backends = try (0..<4).map { _ in try ScriptedBackend(script: Self.echo) }
        for backend in backends.dropFirst() { backend.stopListening() }
        try await self.play(backends, flags: [.threads(1)]) { scene in
            for _ in 0..<20 {
                let response = try scene.ask(Request.text("POST", body: "x"))
                #expect(response.status == 200)
            }
        }
    }

    @Test
    func `a backend that recovers gets requests again`() async throws {
        let steady = try ScriptedBackend(script: Self.echo)
        let gone = try ScriptedBackend(script: Self.echo)
        gone.stopListening()
        try await self.play([steady, gone]) { scene in
            for _ in 0..<4 { #expect(try scene.ask(Request.text()).status == 200) }
            let back = try ScriptedBackend(port: gone.port, script: Self.echo)
            let deadline = Deadline.usual
            while back.record.exchanges.isEmpty, !deadline.hasPassed {
                #expect(try scene.ask(Request.text()).status == 200)
            }
            #expect(!back.record.exchanges.isEmpty)
            try scene.gate.logLine("the backend back") {
                $0.message == "a backend address has recovered"
            }
        }
    }

    @Test
    func `an unresponsive backend is tried with one request at a time`() async throws {
        let steady = try ScriptedBackend(script: Self.echo)
        let mute = try ScriptedBackend { _ in [.stall] }
        let flags: [GateFlag] = [.threads(1), .responseTimeout(seconds: 1)]
        try await self.play([steady, mute], flags: flags) { scene in
            let post = Request.text("POST", body: "x")
            let clients = try (0..<10).map { _ in try scene.connect() }
            for client in clients { try client.send(post) }
            let statuses = try clients.map { try $0.response().status }
            #expect(statuses.filter { $0 == 504 }.count == 5)
            try scene.gate.logLine("the unresponsive backend left out") {
                $0.message == "a backend address is temporarily excluded"
            }
            // When the pause is over, a request finds that the backend accepts connections.
            var waiting: [RawClient] = []
            let deadline = Deadline.usual
            while mute.record.exchanges.count < 6, !deadline.hasPassed {
                let client = try scene.connect()
                try client.send(post)
                if try !client.receivesData(within: .milliseconds(100)) { waiting.append(client) }
            }
            for _ in 0..<20 { #expect(try scene.ask(post).status == 200) }
            #expect(mute.record.exchanges.count == 6)
            #expect(try waiting.map { try $0.response().status }.filter { $0 != 200 } == [504])
        }
    }

    @Test
    func `an idempotent request is retried on another backend after a timeout`() async throws {
        let steady = try ScriptedBackend(script: Self.echo)
        let mute = try ScriptedBackend { _ in [.stall] }
        let flags: [GateFlag] = [.threads(1), .responseTimeout(seconds: 1)]
        try await self.play([steady, mute], flags: flags) { scene in
            let clients = try (0..<10).map { _ in try scene.connect() }
            for client in clients { try client.send(Request.text()) }
            #expect(try clients.allSatisfy { try $0.response().status == 200 })
            #expect(mute.record.exchanges.count == 5)
            #expect(steady.record.exchanges.count == 10)
        }
    }

    @Test
    func `requests get a 502 while all backends are down, until one recovers`() async throws {
        let gone = try (0..<2).map { _ in try ScriptedBackend(script: Self.echo) }
        for backend in gone { backend.stopListening() }
        try await self.play(gone) { scene in
            for _ in 0..<4 { #expect(try scene.ask(Request.text()).status == 502) }
            let back = try ScriptedBackend(port: gone[1].port, script: Self.echo)
            #expect(try scene.ask(Request.text()).status == 200)
            #expect(try scene.ask(Request.text()).status == 200)
            #expect(back.record.exchanges.count == 2)
            let words = "cannot connect to the backend"
            try scene.gate.logLine("the failure") { $0.message == words }
            let failures = scene.gate.logLines.filter { $0.message == words }
            #expect((1...3).contains(failures.count), "one line a second at most")
        }
    }

    @Test
    func `a POST that a backend may have read is not sent to another`() async throws {
        let backends = try (0..<2).map { _ in
            try ScriptedBackend { _ in [.readBody, .close] }
        }
        try await self.play(backends) { scene in
            let response = try scene.ask(Request.text("POST", "/pay", body: "once"))
            #expect(response.status == 502)
        }
        #expect(backends.map(\.record.exchanges.count).reduce(0, +) == 1)
    }

    @Test
    func `a name is resolved, and all of its addresses are tried`() async throws {
        // The name may also resolve to ::1, on which no server listens.
        let backend = try ScriptedBackend(script: Self.echo)
        try await self.play([backend], upstream: "http://localhost:\(backend.port)") { scene in
            for _ in 0..<4 { #expect(try scene.ask(Request.text()).status == 200) }
            try scene.gate.logLine("the addresses") {
                $0.message == "resolved the addresses of the backend"
                    && $0.metadata["addresses"]?.contains("127.0.0.1:\(backend.port)") == true
            }
            #expect(try scene.ask(Request.text(fields: Request.outdated)).status == 426)
        }
    }

    @Test
    func `a name that does not resolve causes a 502, and the gate keeps running`() async throws {
        let unused = try ScriptedBackend(script: Self.echo)
        try await self.play([unused], upstream: "http://no-such-host.invalid") { scene in
            try scene.gate.logLine("the failed look-up") {
                $0.level == "warning" && $0.message == "cannot look up the backend"
                    && $0.metadata["name"] == "no-such-host.invalid:80"
            }
            for _ in 0..<3 {
                let response = try scene.ask(Request.text("POST", "/", body: "x"))
                #expect(response.status == 502)
                _ = try response.problem()
            }
            #expect(try scene.ask(Request.text(fields: Request.outdated)).status == 426)
        }
    }

    @Test
    func `a backend may listen on a Unix socket`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path(of: "app.sock")
        let backend = try ScriptedBackend(unixSocket: path, script: Self.echo)
        try await self.play([backend], upstream: "unix:\(path)") { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/a", body: "hello"))
            #expect(try client.response().json(EchoReport.self).body == "hello")
            try client.send("GET /b HTTP/1.0\r\nX-App-Platform: ios\r\nX-App-Version: 9\r\n\r\n")
            let echo: EchoReport = try client.response().json()
            #expect(echo.fields["Host"] == ["localhost"])
            #expect(echo.connection == 0)
        }
    }

    @Test
    func `a missing Unix socket causes a 502`() async throws {
        let unused = try ScriptedBackend(script: Self.echo)
        try await self.play([unused], upstream: "unix:/nowhere/app.sock") { scene in
            let response = try scene.ask(Request.text())
            #expect(response.status == 502)
        }
    }

    @Test
    func `the configuration file may contain a list of backends`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(
            "threads: 0\nupstream:\n  - http://127.0.0.1:1\n  - ftp://b\n",
            to: "gate.yaml"
        )
        let result = try ToolProcess.versiongate("serve", "--config", folder.path(of: "gate.yaml"))
        #expect(result.errors.contains("--upstream 'http://127.0.0.1:1,ftp://b': expected"))
    }
}
