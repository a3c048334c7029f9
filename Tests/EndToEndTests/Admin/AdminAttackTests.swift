import GateTestSupport
import Glibc
import Testing

/// Clients that occupy the admin listener's connections, with the real executable.
///
/// `Benchmarks/operators.py` does the same with more clients, and measures the latency.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AdminAttackTests {
    private static let token = "Authorization: Bearer 0123456789abcdef\r\n"

    private func play(hasToken: Bool, _ body: (Scene) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop(minimum: "2.0.0"), to: "rules.yaml")
        try folder.writeInPlace("night 0123456789abcdef\n", to: "tokens")
        var flags: [GateFlag] = [.adminListen(), .stateDir(path: folder.path(of: "state"))]
        if hasToken { flags.append(.adminTokenFile(path: folder.path(of: "tokens"))) }
        try await Scene.play(in: folder, flags: flags, body)
    }

    private static func silent(_ count: Int, at scene: Scene) throws -> [RawClient] {
        let port = try #require(scene.gate.adminPort)
        return try (0..<count).map { number in
            let client = try RawClient(port: port)
            if number % 2 == 1 { try client.send("GET /-/healthy HTTP/1.1\r\nHost: a\r\n") }
            return client
        }
    }

    private static func status(_ scene: Scene, _ version: String) throws -> Int {
        try scene.ask(Request.text(fields: Request.identity(version: version))).status
    }

    @Test(arguments: [false, true])
    func `idle connections, event streams and unfinished bodies delay no request`(
        hasToken: Bool
    ) async throws {
        let fields = hasToken ? Self.token : ""
        try await self.play(hasToken: hasToken) { scene in
            let port = try #require(scene.gate.adminPort)
            let first = try JSONReport(
                scene.askAdmin("GET", "/api/v1/rules", fields: fields).text
            ).text("revision")
            var silent = try Self.silent(300, at: scene)
            let pages = try (0..<40).map { _ in
                let client = try RawClient(port: port)
                let target = "/api/v1/events"
                try client.send(
                    Request.text("GET", target, host: "localhost", fields: fields)
                )
                return client
            }
            let bodies = try (0..<40).map { _ in
                let client = try RawClient(port: port)
                let length = "Content-Length: 1000\r\n"
                try client.send(Request.text("POST", "/hooks/a", fields: length) + "abc")
                return client
            }
            for _ in 0..<10 {
                // The clients whose connections were closed reconnect.
                silent += try Self.silent(20, at: scene)
                for target in ["/-/healthy", "/-/ready"] {
                    #expect(try scene.askAdmin("GET", target).status == 200)
                }
            }
            #expect(try scene.askAdmin("GET", "/metrics", fields: fields).status == 200)
            #expect(try scene.askAdmin("GET", "/", fields: fields).status == 200)
            #expect(try scene.askAdmin("POST", "/hooks/a", body: "{}").status == 404)

            try scene.reload(RulesText.shop(minimum: "9.0.0"))
            #expect(try Self.status(scene, "3.0.0") == 426)
            let preview = try scene.askAdmin("GET", "/api/v1/undo", fields: fields)
            let tag = try #require(preview.fields["ETag"].first)
            let undo = try scene.askAdmin(
                "POST",
                "/api/v1/undo",
                fields: fields + "If-Match: \(tag)\r\n",
                body: "{\"to\":\"\(first ?? "")\"}"
            )
            #expect(undo.status == 200, "\(undo.text)")
            #expect(try Self.status(scene, "3.0.0") == 200)

            #expect(try silent[0].rest().bytes.isEmpty)
            let answers = try pages.map { try $0.head()?.status }
            #expect(answers.count { $0 == 200 } == 16)
            #expect(answers.count { $0 == 503 } == 24)
            for client in bodies.prefix(24) {
                let refusal = try client.response()
                #expect(refusal.status == 503)
                #expect(refusal.fields["Retry-After"] == ["1"])
            }
            for client in bodies.suffix(16) {
                #expect(try !client.receivesData(within: .zero))
            }
            try scene.gate.logLine("closed connections") {
                $0.message.hasPrefix("admin listener: too many connections")
            }
        }
    }

    @Test func `idle connections do not take the last descriptors`() async throws {
        let flags: [GateFlag] = [.adminListen()]
        try await Scene.play(flags: flags, surroundings: .descriptors(64)) { scene in
            let current = try scene.connect()
            try current.send(Request.text(fields: Request.current))
            #expect(try current.response().status == 200)
            let clients = try (0..<60).map { _ in try scene.connect() }
            try scene.gate.logLine("descriptors are gone") {
                $0.message.hasPrefix("cannot accept")
            }
            let silent = try Self.silent(40, at: scene)
            for _ in 0..<5 {
                for target in ["/-/healthy", "/-/ready"] {
                    #expect(try scene.askAdmin("GET", target).status == 200)
                }
            }
            #expect(try silent[0].rest().bytes.isEmpty)
            let message = "admin listener: cannot accept connections"
            #expect(!scene.gate.logLines.contains { $0.message == message })
            try current.send(Request.text(fields: Request.current))
            #expect(try current.response().status == 200)
            for client in clients { client.close() }
        }
    }
}
