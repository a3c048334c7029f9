import GateTestSupport
import Testing

/// A minimum in two parameters of Remote Config is raised and lowered.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("openssl")
)
struct RemoteConfigArticleTests {
    /// Returns a template whose minimum applies only to iOS.
    private static func template(_ minimum: String) -> String {
        """
        {"conditions":[{"name":"iOS","expression":"device.os == 'ios'"}],"parameters":{
        "min_version":{"defaultValue":{"value":"9.9.9"},
        "conditionalValues":{"iOS":{"value":"\(minimum)"}}},
        "lastest_version":{"defaultValue":{"value":"4.2.0"}}},"version":{"versionNumber":"7"}}
        """
    }

    @Test func `a published minimum denies outdated apps in Japanese, until it is lowered`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let account = try GoogleAccount(in: folder)
        let config = try RemoteConfig(account: account)
        config.publish(Self.template("1.0.0"))
        let rules = try Example.text(
            "feed-remote-config.yaml",
            replacing: [
                "    project: my-shop\n":
                    "    project: my-shop\n    url: \(config.server.url(""))\n",
                "/run/secrets/firebase.json": account.path,
                "every: 60s": "every: 1s",
            ]
        )
        try folder.writeInPlace(rules, to: "rules.yaml")
        let flags = [GateFlag.stateDir(path: folder.path(of: "state"))]
        try await Scene.play(in: folder, flags: flags) { scene in
            try scene.gate.logLine("the first answer") { $0.message == "feed applied" }
            let old = Request.text(fields: Request.identity(version: "1.9.0"))
            let hint = try scene.ask(old).fields["X-VersionGate"].first
            #expect(hint?.hasPrefix("recommend; latest=\"4.2.0\"") == true)

            config.publish(Self.template("2.0.0"))
            let denial = try scene.wait(untilVersion: "1.9.0", isDenied: true).problem()
            #expect(denial.title == "アップデートのお願い")
            #expect(denial.message?.hasPrefix("バージョン 2.0.0 以上が必要です") == true)

            // Mistakes: a value that is no version, and a minimum that would lock out all clients.
            for minimum in ["latest", "9.0.0"] {
                let seen = scene.gate.logLines.count
                config.publish(Self.template(minimum))
                try scene.gate.logLine("the mistake \(minimum)", skipping: seen) {
                    $0.message.hasSuffix("its last value stays active")
                }
                #expect(try scene.isDenied("1.9.0"))
                #expect(try !scene.isDenied("4.2.0"))
            }
            config.publish(Self.template("1.0.0"))
            try scene.wait(untilVersion: "1.9.0", isDenied: false)
            #expect(!scene.gate.logText.contains(account.token))
        }
    }
}
