import GateTestSupport
import Testing

/// Rules in a real etcd, with the real executable.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("etcd", "etcdctl")
)
struct EtcdFeedTests {
    /// The time from the change in etcd to the response of the gate.
    private static let soon = Duration.seconds(1) * GateExecutable.slowdown

    /// By this time, even a gate that has failed several times has retried.
    private static var afterRest: Deadline { .after(.seconds(60) * GateExecutable.slowdown) }

    private static func file(_ etcd: EtcdServer, _ keys: String) -> String {
        "feeds: [{ id: fleet, source: etcd, url: '\(etcd.url)', \(keys) }]\n"
    }

    /// Runs a gate that gets the floor 3.5.0 from a key, or the content of `keys`.
    private func play(
        _ etcd: EtcdServer,
        keys: String = "key: /gate/rules.yaml",
        flags: [GateFlag] = [],
        surroundings: GateSurroundings = .usual,
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.file(etcd, keys), to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: flags + [.stateDir(path: folder.path(of: "state"))],
            surroundings: surroundings
        ) { scene in
            try scene.wait(untilVersion: "3.4.9", isDenied: true)
            try await body(scene)
        }
    }

    private func etcd() throws -> EtcdServer {
        let etcd = try EtcdServer()
        try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: "3.5.0"))
        return etcd
    }

    @Test func `a changed key takes effect within a second`() async throws {
        let etcd = try self.etcd()
        try await self.play(etcd) { scene in
            var times: [Duration] = []
            for (minimum, version, isDenied) in [
                ("5.0.0", "4.9.9", true), ("2.0.0", "2.0.0", false), ("2.0.1", "2.0.0", true),
            ] {
                try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: minimum))
                let start = ContinuousClock.now
                try scene.wait(untilVersion: version, isDenied: isDenied)
                times.append(ContinuousClock.now - start)
            }
            // The fastest change counts, because other load on the machine may delay any of the
            // changes.
            #expect(try #require(times.min()) < Self.soon, "\(times)")
        }
    }

    @Test func `an etcd that is down has no effect, even after a restart`() async throws {
        let etcd = try self.etcd()
        try await self.play(etcd) { scene in
            etcd.stop()
            try scene.gate.logLine("the failure") {
                $0.message == "feed failed; its last value stays active"
                    && $0.metadata["error"]
                        == "the connection was refused, or the host is unreachable"
            }
            #expect(try scene.isDenied("3.4.9"))

            let state = GateFlag.stateDir(path: scene.folder.path(of: "state"))
            let again = try scene.restarted(flags: [state])
            #expect(try again.isDenied("3.4.9"))

            try etcd.start()
            try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: "5.0.0"))
            try again.gate.logLine("the new floor", by: Self.afterRest) {
                $0.message == "feed applied"
            }
            #expect(try again.isDenied("4.9.9"))
        }
    }

    @Test func `the gate catches up with changes that were compacted meanwhile`() async throws {
        let etcd = try self.etcd()
        try await self.play(etcd) { scene in
            etcd.stop()
            try scene.gate.logLine("the failure") {
                $0.message == "feed failed; its last value stays active"
            }
            let seen = scene.gate.logLines.count
            try etcd.start()
            for minimum in ["4.0.0", "4.1.0", "4.2.0"] {
                try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: minimum))
            }
            try etcd.compact()
            try scene.gate.logLine("the floor", skipping: seen, by: Self.afterRest) {
                $0.message == "feed applied"
            }
            try scene.wait(untilVersion: "4.1.9", isDenied: true)
            try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: "3.0.0"))
            try scene.wait(untilVersion: "3.0.0", isDenied: false)
        }
    }

    @Test func `invalid values are logged and change nothing, and their fix applies at once`()
        async throws
    {
        let etcd = try self.etcd()
        try await self.play(etcd) { scene in
            for (nonsense, word) in [
                ("<html>503</html>", "feed:fleet:1:1: expected a mapping"),
                ("", "feed:fleet:1:1: the file is empty"),
                ("rules: [{ id: ios, minimum: 'x' }]", "feed:fleet:1:29: 'x' is not a number"),
            ] {
                let seen = scene.gate.logLines.count
                try etcd.put("/gate/rules.yaml", nonsense)
                try scene.gate.logLine(word, skipping: seen) { $0.message.hasPrefix(word) }
                #expect(try scene.isDenied("3.4.9"))
                #expect(try !scene.isDenied("3.5.0"))
            }
            let seen = scene.gate.logLines.count
            try etcd.delete("/gate/rules.yaml")
            try scene.gate.logLine("the missing key", skipping: seen) {
                $0.metadata["error"] == "there is no key /gate/rules.yaml"
            }
            #expect(try scene.isDenied("3.4.9"))
            try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: "5.0.0"))
            let start = ContinuousClock.now
            try scene.wait(untilVersion: "4.9.9", isDenied: true)
            #expect(ContinuousClock.now - start < Self.soon * 5)
        }
    }

    @Test func `keys under a prefix are joined like files in a folder`() async throws {
        let etcd = try EtcdServer()
        let other = """
            rules:
            - id: old
              match: { app: com.example.shop, platform: ios }
              blocked: "4.0.0"
              storeUrl: https://a.example

            """
        try etcd.put("/gate/rules/10-ios.yaml", RulesText.shop(minimum: "3.5.0"))
        try etcd.put("/gate/rules2", "this is none of them")
        try await self.play(etcd, keys: "prefix: /gate/rules/") { scene in
            try etcd.put("/gate/rules/20-old.yaml", other)
            try scene.wait(untilVersion: "4.0.0", isDenied: true)
            #expect(try scene.isDenied("3.4.9"))
            let seen = scene.gate.logLines.count
            try etcd.put("/gate/rules/20-old.yaml", "rules: {}\n")
            try scene.gate.logLine("the location", skipping: seen) {
                $0.message.hasPrefix("feed:fleet/20-old.yaml:1:8: expected a list")
            }
            #expect(try scene.isDenied("4.0.0"))
            try etcd.delete("/gate/rules/20-old.yaml")
            try scene.wait(untilVersion: "4.0.0", isDenied: false)
            #expect(try scene.isDenied("3.4.9"))
        }
    }

    @Test(.needs("openssl"))
    func `etcd is read with TLS and a user account`() async throws {
        let certificates = try TemporaryFolder()
        defer { certificates.remove() }
        let authority = try TestAuthority(in: certificates)
        let identity = try authority.issue("etcd")
        let etcd = try EtcdServer(
            identity: .init(certificate: identity.certificate, key: identity.key),
            authority: authority.certificate
        )
        try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: "3.5.0"))
        try etcd.requireAccounts(gatePassword: "hunter2")
        let keys = "key: /gate/rules.yaml, user: gate, password: { env: ETCD_PASSWORD }"
        try await self.play(
            etcd,
            keys: keys,
            flags: [.feedCA(path: authority.certificate)],
            surroundings: .environment(["ETCD_PASSWORD": "hunter2"])
        ) { scene in
            try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: "5.0.0"))
            try scene.wait(untilVersion: "4.9.9", isDenied: true)
            #expect(!scene.gate.logText.contains("hunter2"))
        }
    }

    @Test(.needs("openssl"))
    func `etcd is read with a client certificate`() async throws {
        let certificates = try TemporaryFolder()
        defer { certificates.remove() }
        let authority = try TestAuthority(in: certificates)
        let identity = try authority.issue("etcd")
        let client = try authority.issue("gate")
        let etcd = try EtcdServer(
            identity: .init(certificate: identity.certificate, key: identity.key),
            authority: authority.certificate,
            asksForCertificates: true
        )
        try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: "3.5.0"))
        func keys(_ certificate: String, _ key: String) -> String {
            "key: /gate/rules.yaml, clientCertificate: { file: '\(certificate)' }, "
                + "clientKey: { file: '\(key)' }"
        }
        try await self.play(
            etcd,
            keys: keys(client.certificate, client.key),
            flags: [.feedCA(path: authority.certificate)]
        ) { scene in
            try etcd.put("/gate/rules.yaml", RulesText.shop(minimum: "5.0.0"))
            try scene.wait(untilVersion: "4.9.9", isDenied: true)
        }
        for (keys, reason) in [
            ("key: /gate/rules.yaml", ""),
            (keys(client.certificate, identity.key), "the client certificate or its key"),
            (keys(certificates.path(of: "none"), client.key), "the secret in"),
        ] {
            try certificates.writeInPlace(Self.file(etcd, keys), to: "rules.yaml")
            let result = try ToolProcess.versiongate(
                "feed",
                "check",
                certificates.path(of: "rules.yaml"),
                "--feed-ca",
                authority.certificate
            )
            #expect(result.status == 1)
            #expect(reason.isEmpty || result.errors.contains(reason), "\(result.errors)")
        }
    }

    @Test func `feed check prints the content of etcd`() throws {
        let etcd = try self.etcd()
        try etcd.put("/gate/more", "notices: { a: { en: { title: a, message: b } } }\n")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func check(_ keys: String) throws -> ToolProcess.Result {
            try folder.writeInPlace(Self.file(etcd, keys), to: "rules.yaml")
            return try ToolProcess.versiongate("feed", "check", folder.path(of: "rules.yaml"))
        }
        let single = try check("key: /gate/rules.yaml")
        #expect(single.status == 0)
        #expect(
            single.output.hasPrefix(
                "# feed 'fleet': etcd \(etcd.url)/ /gate/rules.yaml\n\(RulesText.shop)"
            )
        )
        let all = try check("prefix: /gate/")
        #expect(all.status == 0)
        #expect(all.output.contains("# more\nnotices:"))
        #expect(all.output.contains("# rules.yaml\nunidentified:"))
        #expect(all.output.contains("ok (1 rules, 2 notices, 0 releases, revision"))
        let none = try check("key: /gate/nothing")
        #expect(none.status == 1)
        #expect(none.errors.contains("there is no key /gate/nothing"))
    }
}
