import GateTestSupport
import Glibc
import Testing

/// The selection of certificates, and their renewal.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)), .needs("openssl", "curl"))
struct CertificateTests {
    @Test
    func `SNI selects one of several certificates, and the first is the default`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let authority = try TestAuthority(in: folder)
        let pairs = try [
            authority.issue("first", names: "DNS:first.example"),
            authority.issue("second", names: "DNS:second.example,DNS:*.wild.example"),
        ]
        let tls = GateFlag.tls(certificates: pairs.map(\.certificate), keys: pairs.map(\.key))
        try await Scene.play(in: folder, flags: [tls]) { scene in
            let play = TLSScene(scene: scene, authority: authority)
            for (name, subject) in [
                ("first.example", "first"), ("second.example", "second"),
                ("SECOND.example", "second"), ("a.wild.example", "second"),
                ("a.b.wild.example", "first"), ("unknown.example", "first"),
            ] {
                let shown = try play.subject(asking: name)
                #expect(shown.hasSuffix(subject), "\(name)")
            }
            #expect(try play.subject(asking: nil).hasSuffix("first"))
        }
    }

    @Test(arguments: [true, false])
    func `the next client gets a renewed certificate`(bySignal: Bool) async throws {
        try await TLSScene.play { play in
            let renewed = try play.authority.issue("renewed")
            let seen = play.scene.gate.logLines.count
            try play.scene.folder.replace("server.pem", withFile: renewed.certificate)
            try play.scene.folder.replace("server.key", withFile: renewed.key)
            if bySignal { play.scene.gate.send(signal: SIGHUP) }
            try play.scene.gate.logLine("certificates loaded", skipping: seen) {
                $0.message == "certificates loaded"
            }
            #expect(try play.subject(asking: nil).hasSuffix("renewed"))
            #expect(try play.curl([]).status == 0)
        }
    }

    @Test(
        arguments: [
            ("server.pem", "no certificate", "contains no certificate"),
            ("server.key", "no key", "contains no private key"),
        ]
    )
    func `broken files keep the previous certificates and are named in the log`(
        file: String,
        content: String,
        reason: String
    ) async throws {
        try await TLSScene.play { play in
            let seen = play.scene.gate.logLines.count
            try play.scene.folder.replace(file, with: content)
            play.scene.gate.send(signal: SIGHUP)
            let line = try play.scene.gate.logLine("the reason", skipping: seen) {
                $0.message.hasPrefix("certificates not loaded")
            }
            #expect(line.level == "error")
            #expect(line.metadata["file"] == play.scene.folder.path(of: file))
            #expect(line.metadata["reason"]?.contains(reason) == true)
            #expect(try play.curl([]).status == 0)
        }
    }

    @Test
    func `a key that does not belong to the certificate stops the start`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let authority = try TestAuthority(in: folder)
        let (one, other) = (try authority.issue("one"), try authority.issue("other"))
        for (certificate, key, culprit) in [
            (one.certificate, other.key, other.key),
            (one.certificate, folder.path(of: "missing"), folder.path(of: "missing")),
            (folder.path(of: "rules.yaml"), one.key, folder.path(of: "rules.yaml")),
        ] {
            let result = try ToolProcess.versiongate(
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--upstream",
                "http://127.0.0.1:9",
                "--rules",
                folder.path(of: "rules.yaml"),
                "--tls-certificate",
                certificate,
                "--tls-key",
                key
            )
            #expect(result.status == 1)
            #expect(result.errors.contains(culprit), "\(result.errors)")
        }
    }

    @Test
    func `a client certificate is required if a client CA is set`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let authority = try TestAuthority(in: folder)
        let server = try authority.issue("server")
        let client = try authority.issue("client")
        let strangers = try TemporaryFolder()
        defer { strangers.remove() }
        let stranger = try TestAuthority(in: strangers).issue("stranger")
        let flags = [
            GateFlag.tls(certificates: [server.certificate], keys: [server.key]),
            .tlsClientAuthority(authority.certificate),
        ]
        try await Scene.play(in: folder, flags: flags) { scene in
            let play = TLSScene(scene: scene, authority: authority)
            let none = try play.curl(["--http1.1"])
            #expect(none.status != 0)
            let wrong = ["--cert", stranger.certificate, "--key", stranger.key]
            let refused = try play.curl(["--http1.1"] + wrong)
            #expect(refused.status != 0)
            let right = ["--cert", client.certificate, "--key", client.key]
            let served = try play.curl(["--http1.1"] + right)
            #expect(served.status == 0)
            let record = try scene.finalRecord()
            #expect(record.requests.count == 1)
        }
    }
}
