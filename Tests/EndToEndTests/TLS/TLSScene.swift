import GateTestSupport

/// A gate whose only listener uses TLS, with a CA that its clients trust.
struct TLSScene: Sendable {
    let scene: Scene
    let authority: TestAuthority

    static func play(
        flags: [GateFlag] = [],
        backend script: @escaping ScriptedBackend.Script = { _ in [.echo] },
        _ body: (TLSScene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let authority = try TestAuthority(in: folder)
        let pair = try authority.issue("server")
        let tls = GateFlag.tls(certificates: [pair.certificate], keys: [pair.key])
        try await Scene.play(in: folder, flags: flags + [tls], backend: script) { scene in
            try await body(TLSScene(scene: scene, authority: authority))
        }
    }

    func url(_ path: String) -> String { "https://localhost:\(self.scene.gate.port)\(path)" }

    /// Runs curl with a request to the gate.
    ///
    /// It trusts only the test CA.
    func curl(_ arguments: [String], path: String = "/") throws -> ToolProcess.Result {
        try ToolProcess.run(
            "curl",
            ["--silent", "--show-error", "--cacert", self.authority.certificate] + arguments
                + [self.url(path)]
        )
    }

    /// Returns the subject of the certificate for a client that requests a server name.
    func subject(asking name: String?) throws -> String {
        let server = name.map { ["-servername", $0] } ?? ["-noservername"]
        let result = try ToolProcess.run(
            "openssl",
            ["s_client", "-connect", "127.0.0.1:\(self.scene.gate.port)"] + server
        )
        let line = result.output.split(separator: "\n").first { $0.hasPrefix("subject=") }
        return String(line ?? "none: \(result.errors)")
    }
}
