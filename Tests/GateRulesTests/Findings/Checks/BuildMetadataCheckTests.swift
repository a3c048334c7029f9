import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// Versions in a rules file with build metadata, which comparisons ignore.
@Suite struct BuildMetadataCheckTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_798_113_600)

    private static func findings(_ text: String) throws -> [String] {
        let rules = try RulesFileLoader.load(sources: [("r.yaml", text)], now: { Self.now })
        return RulesFindings(rules, at: Self.now).all.filter { $0.name == .buildMetadata }
            .map(\.description)
    }

    private static func rule(_ keys: String) -> String {
        "rules:\n  - { id: a, match: { platform: ios }, \(keys), storeUrl: \"https://a.example\" }\n"
    }

    static let stated: [(String, place: String, advice: String)] = [
        (
            #"minimum: "1.2.3+45""#, "r.yaml:2:49",
            #"write minimum: "1.2.3", minimumBuild: 45, minimumBuildOf: "1.2.3""#
        ),
        (#"minimum: "1.2.3+93.1""#, "r.yaml:2:49", #"minimumBuild: "93.1""#),
        (
            #"recommended: "1.2.3+45""#, "r.yaml:2:53",
            #"write recommended: "1.2.3", recommendedBuild: 45"#
        ),
        (
            #"blocked: ["3.7.2+93"]"#, "r.yaml:2:50",
            #"write blockedBuilds: [{ version: "3.7.2", build: 93 }]"#
        ),
        (#"blocked: "3.7.2+93""#, "r.yaml:2:49", "blockedBuilds"),
        (#"blocked: [">=3.7.0 <3.7.2+93"]"#, "r.yaml:2:50", "blockedBuilds"),
        (#"blocked: ["1.0", "3.7.2+93"]"#, "r.yaml:2:57", "blockedBuilds"),
        (#"minimum: "1.2.3+exp.sha-5114f85""#, "r.yaml:2:49", "remove '+exp.sha-5114f85'"),
        (
            #"minimum: "1.0", next: { minimum: "2.0+7", enforceFrom: 2030-01-01T00:00:00Z }"#,
            "r.yaml:2:73", "minimumBuild: 7"
        ),
        (
            #"blockedBuilds: [{ version: "3.7.2+1", build: 93 }]"#, "r.yaml:2:67",
            #"write version: "3.7.2", build: 1"#
        ),
        (
            #"minimumBuild: 7, minimumBuildOf: "3.7.2+1""#, "r.yaml:2:73",
            #"minimumBuildOf: "3.7.2""#
        ),
    ]

    @Test(arguments: stated)
    func `build metadata in a version is reported with the fix`(
        keys: String,
        place: String,
        advice: String
    ) throws {
        let findings = try Self.findings(Self.rule(keys))
        #expect(findings.count == 1, "\(findings)")
        let finding = try #require(findings.first)
        #expect(finding.hasPrefix(place), "\(finding)")
        #expect(finding.contains(advice), "\(finding)")
        #expect(finding.contains("build metadata is not compared"))
    }

    @Test func `build metadata in a release is reported`() throws {
        let text = "releases:\n  - { platform: android, version: \"3.2.0+4010\" }\nrules: []\n"
        let findings = try Self.findings(text)
        #expect(findings.count == 1)
        #expect(findings[0].contains(#"write version: "3.2.0", build: 4010"#), "\(findings)")
    }

    @Test(arguments: [
        #"minimum: "1.2.3""#, #"blocked: ["3.7.x", ">=3.9.0 <3.9.4"]"#,
        #"recommended: "4.0.0-rc.1""#, #"minimumBuild: "93.1""#,
    ])
    func `a version without metadata is not a finding`(keys: String) throws {
        #expect(try Self.findings(Self.rule(keys)).isEmpty)
    }
}
