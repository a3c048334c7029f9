import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

struct HoldReportTests {
    private static let asked = "storeCountries: [jp, kr, us]"
    private static let soaked = "holdUntilInStore: { soak: 48h }"

    /// The settings of a rule for iOS, the releases, and the report on the tenth of December.
    private static let cases: [(terms: String, releases: [String], lines: [String])] = [
        ("minimum: '4.3.0'", [], []),
        (
            "minimum: '4.3.0', holdUntilInStore: true", [],
            ["rule 'a': waits for 4.3.0: no releases for ios are known"]
        ),
        (
            "minimum: '4.3.0', \(soaked)",
            ["version: '4.3.0', countries: { jp: 2026-12-01T09:00:00Z }, \(asked)"],
            [
                "rule 'a': waits for 4.3.0: jp since 2026-12-01T09:00:00Z, kr not yet, "
                    + "us not yet; has begun in jp; begins for all others when all stores "
                    + "have had it for 48h"
            ]
        ),
        (
            "minimum: '4.3.0', \(soaked)",
            [
                "version: '4.3.0', \(asked), countries: { jp: 2026-12-09T09:00:00Z, "
                    + "kr: 2026-12-10T00:00:00Z, us: 2026-12-01T00:00:00Z }"
            ],
            [
                "rule 'a': waits for 4.3.0: jp since 2026-12-09T09:00:00Z, "
                    + "kr since 2026-12-10T00:00:00Z, us since 2026-12-01T00:00:00Z; "
                    + "has begun in us; begins in jp on 2026-12-11T09:00:00Z; "
                    + "begins for all others on 2026-12-12T00:00:00Z"
            ]
        ),
        (
            "minimum: '4.3.0', holdUntilInStore: true",
            ["version: '4.3.0', \(asked), countries: [jp, kr, us]"],
            ["rule 'a': waits for 4.3.0: jp has it, kr has it, us has it; has begun"]
        ),
        (
            "minimum: '4.3.0', holdUntilInStore: { countries: [jp, kr] }",
            ["version: '4.2', \(asked), countries: [jp, kr, us]"],
            [
                "rule 'a': waits for 4.3.0: jp not yet, kr not yet; "
                    + "begins when all stores have it"
            ]
        ),
        (
            "minimum: '4.3.0', holdUntilInStore: { soak: 90m }",
            ["version: '4.3.0', phased: { completeAt: 2026-12-20T00:00:00Z }"],
            [
                "rule 'a': waits for 4.3.0: in the store from 2026-12-20T00:00:00Z; "
                    + "begins on 2026-12-20T01:30:00Z"
            ]
        ),
        (
            "minimumBuild: 430, holdUntilInStore: { soak: 30s }",
            ["version: '4.3.0', build: 429"],
            [
                "rule 'a': waits for build 430: not yet in the store; "
                    + "begins when the store has had it for 30s"
            ]
        ),
        (
            "minimumBuild: 2011, holdUntilInStore: true",
            ["version: '3.2.0', builds: [1010, 2010, 4010]"],
            [
                "rule 'a': waits for build 2011: not yet in the store (builds 1010, 2010 of 3.2.0 "
                    + "do not pass); begins when the store has it"
            ]
        ),
        (
            "minimumBuild: 1011, holdUntilInStore: true",
            ["version: '3.2.0', build: 4011", "version: '3.2.0', build: 1010"],
            [
                "rule 'a': waits for build 1011: not yet in the store (build 1010 of 3.2.0 does "
                    + "not pass); begins when the store has it"
            ]
        ),
        (
            "minimumBuild: 1010, holdUntilInStore: true",
            ["version: '3.2.0', builds: [1010, 2010, 4010], releasedAt: 2026-12-01T00:00:00Z"],
            [
                "rule 'a': waits for build 1010: in the store since 2026-12-01T00:00:00Z; "
                    + "began on 2026-12-01T00:00:00Z"
            ]
        ),
        (
            "minimumBuild: 1011, holdUntilInStore: true",
            ["builds: [1010, 4010]", "builds: [1011, 4011], releasedAt: 2026-12-01T00:00:00Z"],
            [
                "rule 'a': waits for build 1011: in the store since 2026-12-01T00:00:00Z; "
                    + "began on 2026-12-01T00:00:00Z"
            ]
        ),
        (
            "minimum: '3.2.0', holdUntilInStore: true", ["builds: [1010, 4010]"],
            ["rule 'a': waits for 3.2.0: not yet in the store; begins when the store has it"]
        ),
        (
            "blocked: '4.2.x', holdUntilInStore: true, enforceFrom: 2027-01-01T00:00:00Z",
            ["version: '4.3.0', releasedAt: 2026-12-01T00:00:00Z"],
            [
                "rule 'a': waits for a version that is not blocked: "
                    + "in the store since 2026-12-01T00:00:00Z; begins on 2027-01-01T00:00:00Z"
            ]
        ),
        (
            "minimum: '4.3.0', holdUntilInStore: true",
            ["version: '4.3.0', channel: beta", "version: '4.2.0', app: x, countries: jp"],
            [
                "rule 'a' (beta): waits for 4.3.0: the store has it; has begun",
                "rule 'a' (x): waits for 4.3.0: jp not yet; begins when all stores have it",
            ]
        ),
        (
            "minimum: '4.3.0', holdUntilInStore: true, until: 2026-12-01T00:00:00Z",
            ["version: '4.2.0'"], []
        ),
    ]

    @Test(arguments: cases)
    func `the report lists each held rule with its releases and start`(
        terms: String,
        releases: [String],
        lines: [String]
    ) throws {
        let facts = releases.map { "- { platform: ios, \($0) }\n" }.joined()
        let file =
            "rules:\n- { id: a, match: { platform: ios }, storeUrl: https://a.example, \(terms) }\n"
            + (facts.isEmpty ? "" : "releases:\n" + facts)
        let definition = try RulesFileLoader.load(sources: [("rules.yaml", file)]).definition
        let now = try Timestamp(parsing: "2026-12-10T12:00:00Z")
        #expect(HoldReport(definition, at: now).lines == lines)
    }
}
