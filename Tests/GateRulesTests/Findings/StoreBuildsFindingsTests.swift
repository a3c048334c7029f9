import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// Findings about floors, with releases that have several builds or no version.
struct StoreBuildsFindingsTests {
    private static func rules(_ terms: String) -> String {
        "rules:\n- { id: a, \(terms), storeUrl: https://a.example }\n"
    }

    /// Returns releases in flow style.
    private static func releases(_ releases: String...) -> String {
        "releases:\n" + releases.map { "- { \($0) }\n" }.joined()
    }

    private static let cases: [(file: String, findings: [String])] = [
        (
            // Builds for several CPU architectures, listed as two releases of one version.
            Self.rules("minimumBuild: 4011, match: { platform: android }")
                + Self.releases(
                    #"platform: android, version: "3.2.0", build: 4011"#,
                    #"platform: android, version: "3.2.0", build: 1011"#
                ),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it denies build 1011 of "
                    + "3.2.0, which is in the newest release for android in 'releases'; use "
                    + "'holdUntilInStore' to wait, or block the old builds for each CPU architecture in "
                    + "'blockedBuilds'; if this is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            Self.rules("minimumBuild: 4010, match: { platform: android }")
                + Self.releases(
                    #"platform: android, version: "3.2.0", builds: [1010, 2010, 4010]"#
                ),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it denies builds 1010, "
                    + "2010 of 3.2.0, which are in the newest release for android in 'releases'; "
                    + "use 'holdUntilInStore' to wait, or block the old builds for each CPU architecture in "
                    + "'blockedBuilds'; if this is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            // An older release passes, but is no longer available.
            Self.rules("minimumBuild: 4011, match: { platform: android }")
                + Self.releases(
                    #"platform: android, version: "3.1.0", build: 5000"#,
                    #"platform: android, version: "3.2.0", builds: [1011, 4011]"#
                ),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it denies build 1011 of "
                    + "3.2.0, which is in the newest release for android in 'releases'; use "
                    + "'holdUntilInStore' to wait, or block the old builds for each CPU architecture in "
                    + "'blockedBuilds'; if this is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            // One build is not available to all users yet, so the previous release is the newest.
            Self.rules("minimumBuild: 1010, match: { platform: android }")
                + Self.releases(
                    #"platform: android, version: "3.1.0", builds: [1010, 4010]"#,
                    #"platform: android, version: "3.2.0", build: 4011"#,
                    #"platform: android, version: "3.2.0", build: 1011, phased: partial"#
                ),
            []
        ),
        (
            Self.rules("minimumBuild: 1011, match: { platform: android }")
                + Self.releases(
                    #"platform: android, version: "3.1.0", builds: [1010, 4010]"#,
                    #"platform: android, version: "3.2.0", builds: [1011, 4011], phased: partial"#
                ),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it denies build 1010 of "
                    + "3.1.0, which is in the newest release for android in 'releases'; use "
                    + "'holdUntilInStore' to wait, or block the old builds for each CPU architecture in "
                    + "'blockedBuilds'; if this is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            Self.rules(#"minimumBuild: "93.2", match: { platform: ios }"#)
                + Self.releases(#"platform: ios, version: "3.2.0", builds: ["93.1", "93.2"]"#),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it denies build 93.1 of "
                    + "3.2.0, which is in the newest release for ios in 'releases'; use "
                    + "'holdUntilInStore' to wait, or block the old builds for each CPU architecture in "
                    + "'blockedBuilds'; if this is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            // Ranges for each CPU architecture deny none of the newest builds.
            Self.rules(
                #"blockedBuilds: ["<1011", ">=2000 <2011", ">=4000 <4011"], "#
                    + "match: { platform: android }"
            )
                + Self.releases(
                    #"platform: android, version: "3.2.0", builds: [1011, 2011, 4011]"#
                ),
            []
        ),
        (
            // Builds of a release without a version.
            Self.rules("minimumBuild: 8, match: { platform: android }")
                + Self.releases("platform: android, build: 7"),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it denies build 7, the "
                    + "newest release for android in 'releases'; use 'holdUntilInStore' to wait; "
                    + "if this is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            Self.rules("minimumBuild: 8, match: { platform: android }")
                + Self.releases(
                    #"platform: android, version: "9.0", build: 7"#,
                    "platform: android, build: 8"
                ),
            []
        ),
        (
            // Builds alone cannot be compared with versions.
            Self.rules(#"minimum: "9.0", match: { platform: android }"#)
                + Self.releases("platform: android, build: 7"),
            []
        ),
        (
            Self.rules(#"minimum: "4.0", match: { platform: android }"#)
                + Self.releases(
                    #"platform: android, version: "4.1", build: 7"#,
                    "platform: android, build: 8"
                ),
            []
        ),
        (
            Self.rules(
                #"minimum: "9.0", match: { platform: android }, holdUntilInStore: true"#
            )
                + Self.releases("platform: android, builds: [7, 8]"),
            [
                "r.yaml:2:58: warning: the rule 'a' waits forever: no release for android in "
                    + "'releases' states a version; use builds instead"
            ]
        ),
        (
            // Two facts about one version are one release, and facts with the same builds are one fact.
            Self.rules(#"recommended: "1""#)
                + Self.releases(
                    #"platform: android, version: "4.2", builds: [7, 8]"#,
                    #"platform: android, version: "4.2", build: 9"#,
                    #"platform: android, version: "4.2.0", builds: [8, 7]"#,
                    "platform: android, build: 9",
                    "platform: android, builds: [9]"
                ),
            [
                "r.yaml:6:3: warning: the release 4.2.0 for android is already listed at r.yaml:4:3",
                "r.yaml:8:3: warning: the release build 9 for android is already listed at r.yaml:7:3",
            ]
        ),
    ]

    @Test(arguments: Self.cases)
    func `a floor is compared with each build of the newest release`(
        file: String,
        findings: [String]
    ) throws {
        let now = Timestamp(secondsSinceEpoch: 1_798_113_600)
        let rules = try RulesFileLoader.load(sources: [("r.yaml", file)], now: { now })
        let found = RulesFindings(rules, at: now).all.map(\.description)
        // The finding names are removed.
        #expect(found.map { $0.replacing(/\s\[[a-z-]+\]$/, with: "") } == findings)
    }
}
