import GateTestSupport
import Testing

/// A rules file at a URL, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct RulesURLFeedTests {
    private static func file(_ url: String, _ keys: String = "", more: String = "") -> String {
        "feeds: [{ id: shared, source: https, url: '\(url)', every: 1s\(keys) }]\n\(more)"
    }

    /// Runs a gate that has applied the floor 3.5.0 from a source.
    private func play(
        _ keys: String = "",
        more: String = "",
        flags: (TemporaryFolder) -> [GateFlag] = {
            [.stateDir(path: $0.path(of: "state")), .adminListen()]
        },
        _ body: (Scene, FileSource) async throws -> Void
    ) async throws {
        let source = try FileSource()
        source.put(RulesText.shop(minimum: "3.5.0"), at: "/rules.yaml")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let text = Self.file(source.server.url("/rules.yaml"), keys, more: more)
        try folder.writeInPlace(text, to: "rules.yaml")
        try await Scene.play(in: folder, flags: flags(folder)) { scene in
            try scene.wait(untilVersion: "3.4.9", isDenied: true)
            try await body(scene, source)
        }
    }

    @Test func `a floor that is raised and lowered at the source takes effect at once`()
        async throws
    {
        try await self.play { scene, source in
            let denial = try scene.wait(untilVersion: "3.4.9", isDenied: true)
            #expect(try denial.problem().minimumVersion == "3.5.0")
            source.put(RulesText.shop(minimum: "5.0.0"), at: "/rules.yaml")
            try scene.wait(untilVersion: "4.9.9", isDenied: true)
            source.put(RulesText.shop(minimum: "2.0.0"), at: "/rules.yaml")
            try scene.wait(untilVersion: "2.0.0", isDenied: false)
            let asked = source.server.requests
            #expect(asked.first?.fields["If-None-Match"].isEmpty == true)
            #expect(asked.last?.fields["If-None-Match"].count == 1)
        }
    }

    @Test func `a source that is down has no effect, even after a restart`() async throws {
        try await self.play { scene, source in
            let good = try await scene.waitForFeed("fresh") { $0.state == "fresh" }
            #expect((good.id, good.kind, good.failures) == ("shared", "https", 0))
            #expect(good.source == source.server.url("/rules.yaml"))
            #expect((good.inForce, good.error) == ("enforce", nil))
            try source.server.stop()
            let failure = "the connection was refused, or the host is unreachable"
            try scene.gate.logLine("the failure") {
                $0.message == "feed failed; its last value stays active"
                    && $0.metadata["error"] == failure
            }
            let failed = try await scene.waitForFeed("failing") {
                $0.failures > 1 && $0.nextAt != nil
            }
            #expect((failed.state, failed.error) == ("failing", failure))
            #expect((failed.revision, failed.inForce) == (good.revision, "enforce"))
            #expect(failed.changedAt == good.changedAt)
            #expect(try scene.isDenied("3.4.9"))

            let state = GateFlag.stateDir(path: scene.folder.path(of: "state"))
            let again = try scene.restarted(flags: [state, .adminListen()])
            let remembered = try await again.waitForFeed("the feeds to be known") { _ in true }
            #expect(remembered.revision == good.revision)
            #expect(try #require(remembered.ageSeconds) >= 1)
            #expect(try again.isDenied("3.4.9"))
        }
    }

    @Test func `invalid content at the source is logged and changes nothing`() async throws {
        try await self.play { scene, source in
            for fault in [SourceFault.webPage, .empty, .truncatedJSON, .notUTF8, .unavailable] {
                let seen = scene.gate.logLines.count
                source.server.set(fault)
                try scene.gate.logLine("\(fault)", skipping: seen) {
                    [
                        "feed failed; its last value stays active",
                        "feed rejected; its last value stays active",
                    ]
                    .contains($0.message)
                }
                let status = try scene.feed()
                #expect(status.state == "failing")
                #expect(status.error?.isEmpty == false)
                #expect(status.inForce == "enforce")
                #expect(try scene.isDenied("3.4.9"))
                #expect(try !scene.isDenied("3.5.0"))
                source.server.set(nil)
                try scene.gate.logLine("the recovery", skipping: seen) {
                    $0.message == "feed recovered"
                }
                let mended = try scene.feed()
                #expect((mended.state, mended.error) == ("fresh", nil))
                #expect(mended.revision == status.revision)
            }
        }
    }

    @Test func `a test in the file rejects a floor of the source`() async throws {
        let test = """
            tests:
              - name: nobody shuts out the current version
                request: { app: com.example.shop, platform: ios, version: "4.2.0" }
                expect: { decision: allow }

            """
        try await self.play(more: test) { scene, source in
            source.put(RulesText.shop(minimum: "42.0.0"), at: "/rules.yaml")
            try scene.gate.logLine("the test") {
                $0.level == "error" && $0.message.contains("nobody shuts out the current version")
            }
            #expect(try scene.isDenied("3.4.9"))
            #expect(try !scene.isDenied("4.2.0"))
            let status = try await scene.waitForFeed("the rejection") { $0.state == "failing" }
            #expect(status.error?.contains("nobody shuts out the current version") == true)
            source.put(RulesText.shop(minimum: "4.2.0"), at: "/rules.yaml")
            try scene.wait(untilVersion: "4.1.9", isDenied: true)
        }
    }

    @Test func `a gate starts without its source, and applies its rules once it is available`()
        async throws
    {
        let port = try FreePort.find()
        let url = "http://127.0.0.1:\(port)/rules.yaml"
        try await Scene.play(rules: Self.file(url), flags: [.adminListen()]) { scene in
            #expect(try !scene.isDenied("3.4.9"))
            let status = try await scene.waitForFeed("failing") { $0.state == "failing" }
            #expect((status.revision, status.ageSeconds, status.inForce) == (nil, nil, nil))
            let source = try FileSource(port: port)
            source.put(RulesText.shop(minimum: "3.5.0"), at: "/rules.yaml")
            try scene.wait(untilVersion: "3.4.9", isDenied: true)
        }
    }

    @Test func `rules of a source that fails for too long are only observed`() async throws {
        try await self.play(", staleAfter: 2s, whenStale: observe") { scene, source in
            source.server.set(.unavailable)
            try scene.wait(untilVersion: "3.4.9", isDenied: false)
            try scene.gate.logLine("the silence") { $0.message == "feed is stale" }
            let status = try await scene.waitForFeed("observed") { $0.inForce == "observe" }
            #expect(status.state == "stale")
            #expect(status.error == "the source responded with 503")
            #expect(try #require(status.ageSeconds) >= 2)
            source.server.set(nil)
            try scene.wait(untilVersion: "3.4.9", isDenied: true)
            let mended = try await scene.waitForFeed("the recovery") { $0.state == "fresh" }
            #expect(mended.inForce == "enforce")
        }
    }

    @Test func `a feed can be removed from the file and added again`() async throws {
        try await self.play { scene, source in
            try scene.folder.replace("rules.yaml", with: "rules: []\n")
            try scene.wait(untilVersion: "3.4.9", isDenied: false)
            try await scene.waitForPage("no feeds") { $0.feeds.isEmpty }
            let text = Self.file(source.server.url("/rules.yaml"), more: "rules: []\n")
            try scene.folder.replace("rules.yaml", with: text)
            try scene.wait(untilVersion: "3.4.9", isDenied: true)
        }
    }

    @Test(
        .needs("openssl", "python3")
    )
    func `a source with a private CA is read through the proxy of the environment`()
        async throws
    {
        let source = try FileSource()
        source.put(RulesText.shop(minimum: "3.5.0"), at: "/rules.yaml")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificates = try TestCertificates(in: folder)
        try certificates.make("server", names: "DNS:rules.example.com")
        let front = try TLSFront(
            to: source.server.port,
            certificate: certificates.path("server.pem"),
            key: certificates.path("server.key")
        )
        let proxy = try ConnectProxy(to: front.port)
        let text = Self.file("https://rules.example.com/rules.yaml")
        try folder.writeInPlace(text, to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: [.feedCA(path: certificates.path("ca.pem"))],
            surroundings: .environment(["https_proxy": "http://127.0.0.1:\(proxy.port)"])
        ) { scene in
            try scene.wait(untilVersion: "3.4.9", isDenied: true)
        }
        #expect(proxy.requests.first == "CONNECT rules.example.com:443 HTTP/1.1")
    }

    @Test func `feed check shows the result of the source and its errors`() throws {
        let source = try FileSource()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let url = source.server.url("/rules.yaml")
        try folder.writeInPlace(Self.file(url + "?key=hunter2"), to: "rules.yaml")
        let path = folder.path(of: "rules.yaml")

        let missing = try ToolProcess.versiongate("feed", "check", path)
        #expect(missing.status == 1)
        #expect(
            missing.errors == "feed 'shared': \(url): the source responded with 404: "
                + "there is no resource at this URL\n"
        )

        source.put(RulesText.shop(minimum: "3.5.0"), at: "/rules.yaml")
        let good = try ToolProcess.versiongate("feed", "check", path)
        #expect(good.status == 0)
        #expect(good.output.hasPrefix("# feed 'shared': \(url)\n" + RulesText.shop))
        #expect(
            good.output.contains("with its feeds: ok (1 rules, 1 notices, 0 releases, revision")
        )

        source.put("rules:\n- { id: a, minimun: '3' }\n", at: "/rules.yaml")
        let wrong = try ToolProcess.versiongate("feed", "check", path)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("feed:shared:2:12: unknown key 'minimun'; did you mean"))
        for result in [missing, good, wrong] {
            #expect(!(result.output + result.errors).contains("hunter2"))
        }
    }
}
