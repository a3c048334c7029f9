import GateTestSupport
import Testing

/// An editor raises and lowers the floor in microCMS, as in its article.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("openssl", "python3")
)
struct MicroCMSArticleTests {
    /// Runs the shipped example with a microCMS that uses TLS.
    private func play(_ body: (Scene, MicroCMS) async throws -> Void) async throws {
        let cms = try MicroCMS(key: "the-key")
        cms.publish([:])
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificates = try TestCertificates(in: folder)
        try certificates.make("server", names: "DNS:localhost")
        let front = try TLSFront(
            to: cms.server.port,
            certificate: certificates.path("server.pem"),
            key: certificates.path("server.key")
        )
        let rules = try Example.text(
            "feed-microcms.yaml",
            replacing: [
                "    service: my-shop\n    endpoint: app-version\n":
                    "    url: https://localhost:\(front.port)\(cms.path)\n",
                "every: 60s": "every: 1s",
            ]
        )
        try folder.writeInPlace(rules, to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: self.flags(in: folder) + [.adminListen()],
            surroundings: Self.surroundings
        ) { try await body($0, cms) }
    }

    private static let surroundings = GateSurroundings.environment(["MICROCMS_API_KEY": "the-key"])

    private func flags(in folder: TemporaryFolder) -> [GateFlag] {
        [.feedCA(path: folder.path(of: "ca.pem")), .stateDir(path: folder.path(of: "state"))]
    }

    private static let update = [
        "title": "アップデートのお願い", "message": "最新版にアップデートしてください。",
        "buttonTitle": "アップデートする", "minAppVersion": "2.0.0", "maxAppVersion": "2.1.3",
        "url": "https://apps.apple.com/jp/app/id1234567890",
        "startDate": "2020-01-01T00:00:00.000Z", "endDate": "2099-12-31T14:59:59.000Z",
    ]

    @Test func `a floor from the editor denies outdated apps in Japanese, until it is lowered`()
        async throws
    {
        try await self.play { scene, cms in
            try scene.gate.logLine("the first answer") { $0.message == "feed applied" }
            #expect(try !scene.isDenied("2.1.0"))

            cms.publish(Self.update)
            let denial = try scene.wait(untilVersion: "2.1.3", isDenied: true)
            let problem = try denial.problem()
            #expect(problem.title == "アップデートのお願い")
            #expect(problem.message == "最新版にアップデートしてください。")
            #expect(problem.storeUrl == "https://apps.apple.com/jp/app/id1234567890")
            #expect(denial.fields["Content-Language"] == ["ja"])
            for (version, isDenied) in [
                ("1.9.9", false), ("2.0.0", true), ("2.1.3", true), ("2.1.4", false),
            ] {
                #expect(try scene.isDenied(version) == isDenied, "\(version)")
            }

            cms.publish(Self.update.merging(["startDate": "2098-01-01T00:00:00.000Z"]) { $1 })
            try scene.wait(untilVersion: "2.1.3", isDenied: false)
            cms.publish(Self.update)
            try scene.wait(untilVersion: "2.1.3", isDenied: true)
            cms.publish(["title": "アップデートのお願い"])
            try scene.wait(untilVersion: "2.1.3", isDenied: false)
        }
    }

    @Test func `a mistake of the editor locks no client out`() async throws {
        try await self.play { scene, cms in
            cms.publish(Self.update)
            try scene.wait(untilVersion: "2.1.3", isDenied: true)
            for slip in [
                ["maxAppVersion": ""], ["maxAppVersion": "9.9.9"], ["maxAppVersion": "新版"],
            ] {
                let seen = scene.gate.logLines.count
                cms.publish(Self.update.merging(slip) { $1 })
                try scene.gate.logLine("the mistake \(slip)", skipping: seen) {
                    $0.message.hasSuffix("its last value stays active")
                }
                let status = try scene.feed()
                #expect((status.kind, status.state) == ("microcms", "failing"))
                #expect(status.error?.isEmpty == false)
                #expect(try scene.isDenied("2.1.3"))
                #expect(try !scene.isDenied("4.2.0"))
            }
            #expect(!scene.gate.logText.contains("the-key"))
        }
    }

    @Test func `a misspelled field keeps the floor, and an emptied one is reported`() async throws {
        try await self.play { scene, cms in
            cms.publish(Self.update)
            try scene.wait(untilVersion: "2.1.3", isDenied: true)
            for (name, wrong) in [
                ("minAppVersion", "minVersion"), ("maxAppVersion", "maxappverson"),
            ] {
                let seen = scene.gate.logLines.count
                var slip = Self.update
                slip[wrong] = slip.removeValue(forKey: name)
                cms.publish(slip)
                try scene.gate.logLine("the mistake \(wrong)", skipping: seen) {
                    $0.metadata["error"]?.contains("did you mean '\(name)'?") == true
                }
                #expect(try scene.feed().state == "failing")
                #expect(try scene.isDenied("2.1.3"))
            }
            let seen = scene.gate.logLines.count
            cms.publish(["title": "アップデートのお願い"])
            try scene.wait(untilVersion: "2.1.3", isDenied: false)
            try scene.gate.logLine("the missing rules", skipping: seen) {
                $0.message.contains("no longer provides rules")
            }
        }
    }

    @Test func `a microCMS that is down has no effect, even after a restart`() async throws {
        try await self.play { scene, cms in
            cms.publish(Self.update)
            try scene.wait(untilVersion: "2.1.3", isDenied: true)
            for fault in [SourceFault.webPage, .unavailable] {
                try scene.waitForFeedFailure("\(fault)") { cms.server.set(fault) }
                #expect(try scene.feed().state == "failing")
                #expect(try scene.isDenied("2.1.3"))
            }
            try cms.server.stop()
            let again = try scene.restarted(
                flags: self.flags(in: scene.folder),
                surroundings: Self.surroundings
            )
            #expect(try again.isDenied("2.1.3"))
            #expect(try !again.isDenied("2.1.4"))
        }
    }
}
