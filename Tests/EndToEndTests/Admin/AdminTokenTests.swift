import GateTestSupport
import Glibc
import Testing

/// The admin listener's token, on any address, and the paths that need none.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AdminTokenTests {
    private static let token = "0123456789abcdef0123456789abcdef"

    private func play(
        _ place: String = "0.0.0.0:0",
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        try folder.writeInPlace(Self.token + "\n", to: "token")
        try await Scene.play(
            in: folder,
            flags: [.adminListen(place), .adminTokenFile(path: folder.path(of: "token"))]
        ) { scene in try await body(scene) }
    }

    private static func text(
        _ method: String,
        _ target: String,
        authorization: String? = nil
    ) -> String {
        let field = authorization.map { "Authorization: \($0)\r\n" } ?? ""
        return Request.text(method, target, host: "127.0.0.1", fields: field)
    }

    @Test(arguments: ["0.0.0.0:0", "[::]:0", "0"])
    func `no content is served without the token, even on loopback`(place: String) async throws {
        try await self.play(place) { scene in
            for (method, target, status) in [
                ("GET", "/feeds", 200), ("GET", "/metrics", 200), ("POST", "/-/reload", 200),
                ("GET", "/nothing", 404), ("GET", "/api/v1/rules", 200), ("POST", "/metrics", 405),
                ("GET", "/api/v1/undo", 404), ("POST", "/api/v1/undo", 400),
            ] {
                for wrong in [
                    nil, "", "Bearer", "Bearer ", "Bearer \(Self.token)x", "Basic \(Self.token)",
                    "Bearer \(Self.token.dropLast())", Self.token,
                    "Bearer \(Self.token),Bearer \(Self.token)",
                    "Bearer \(Self.token)\r\nAuthorization: Bearer \(Self.token)",
                ] {
                    let answer = try scene.askAdmin(
                        Self.text(method, target, authorization: wrong)
                    )
                    #expect(answer.status == 401, "\(target) \(wrong ?? "-")")
                    #expect(answer.fields["WWW-Authenticate"] == ["Bearer realm=\"versiongate\""])
                    #expect(!answer.text.contains("\"revision\""))
                }
                let right = Self.text(method, target, authorization: "bearer  \(Self.token)")
                #expect(try scene.askAdmin(right).status == status, "\(target)")
            }
        }
    }

    @Test(arguments: ["0.0.0.0:0", "0"])
    func `health and readiness need no token, and reveal nothing else`(
        place: String
    ) async throws {
        try await self.play(place) { scene in
            for target in ["/-/healthy", "/-/ready"] {
                let answer = try scene.askAdmin(Self.text("GET", target))
                #expect(answer.status == 200)
                #expect(answer.body.isEmpty)
                #expect(try scene.askAdmin(Self.text("HEAD", target)).status == 200)
                #expect(try scene.askAdmin(Self.text("POST", target)).status == 405)
            }
            #expect(try scene.askAdmin(Self.text("POST", "/hooks/a")).status == 404)
        }
    }

    @Test func `a new token applies from the next request on, and an invalid file changes nothing`()
        async throws
    {
        try await self.play { scene in
            func request(_ token: String) -> String {
                Self.text("GET", "/feeds", authorization: "Bearer \(token)")
            }
            func status(_ token: String) throws -> Int {
                try scene.askAdmin(request(token)).status
            }
            let other = "fedcba9876543210"
            let client = try RawClient(port: try #require(scene.gate.adminPort))
            try client.send(request(Self.token))
            #expect(try client.response().status == 200)
            try scene.folder.replace("token", with: "  \(other)\n")
            try client.send(request(Self.token))
            #expect(try client.response().status == 401)
            #expect(try status(Self.token) == 401)
            #expect(try status(other) == 200)
            try scene.folder.replace("token", with: "")
            #expect(try status(other) == 200)
            #expect(try status("") == 401)
        }
    }

    @Test func `on loopback no token is needed unless one is configured`() async throws {
        try await Scene.play(flags: [.adminListen()]) { scene in
            let answer = try scene.askAdmin("GET", "/feeds")
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: ["0.0.0.0:0", "0"])
    func `the admin commands need the token, and the health check does not`(
        listen: String
    ) async throws {
        try await self.play(listen) { scene in
            let port = try #require(scene.gate.adminPort)
            let file = scene.folder.path(of: "token")
            let place = "127.0.0.1:\(port)"
            for command in [["reload"], ["reload", "--wait"], ["breaker"], ["breaker", "reset"]] {
                let without = try ToolProcess.versiongate(command + ["--admin", place])
                #expect(without.status == 1, "\(command)")
                #expect(without.errors.contains("--admin-token-file"), "\(without.errors)")
                #expect(without.output == "")
            }
            let asked = ["reload", "--admin", place, "--admin-token-file", file]
            #expect(try ToolProcess.versiongate(asked).output == "\(place): reload requested\n")
            let with = try ToolProcess.versiongate(
                "reload",
                "--wait",
                "--admin",
                place,
                "--admin-token-file",
                file
            )
            #expect(with.status == 0)
            let health = try ToolProcess.versiongate("healthcheck", "--admin", "0.0.0.0:\(port)")
            #expect(health.status == 0)
            #expect(health.output == "\(place): the gate responds\n")
            #expect(try ToolProcess.versiongate("healthcheck", "--admin", "1").status == 1)
        }
    }

    @Test func `a gate whose backend fails is ready`() async throws {
        try await Scene.play(flags: [.adminListen()], backend: { _ in [.close] }) { scene in
            let answer = try scene.ask(Request.text(fields: Request.current))
            #expect(answer.status == 502)
            #expect(try scene.askAdmin(Self.text("GET", "/-/ready")).status == 200)
        }
    }

    @Test(arguments: [
        (nil, "--admin-token-file is required"), ("short", "expected 16 to 4096 characters"),
        ("", "expected 16 to 4096 characters"),
        ("two words that are long", "expected one line of visible ASCII characters"),
    ])
    func `a public admin listener does not start without a token`(
        text: String?,
        reason: String
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        if let text { try folder.writeInPlace(text, to: "token") }
        let file = text.map { _ in GateFlag.adminTokenFile(path: folder.path(of: "token")) }
        let error = #expect(throws: HarnessError.self) {
            try GateProcess(
                upstreamPort: 1,
                rules: folder.file("rules.yaml"),
                flags: [.adminListen("0.0.0.0:0")] + [file].compactMap(\.self)
            )
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
}
