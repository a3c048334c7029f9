import GatePolicy
import GateSystem
import MutatedRules
import RulesTestSupport
import Testing

@testable import GateRules

/// Findings about rules that are valid but probably unintended.
struct RulesFindingsTests {
    /// 2026-12-24T12:00:00Z.
    private static let now = Timestamp(secondsSinceEpoch: 1_798_113_600)

    private func warnings(_ text: String) throws -> [String] {
        let rules = try RulesFileLoader.load(sources: [("r.yaml", text)], now: { Self.now })
        return Self.lines(RulesFindings(rules, at: Self.now))
    }

    /// Returns the findings' messages, without the finding names.
    private static func lines(_ findings: RulesFindings) -> [String] {
        findings.all.map { $0.description.replacing(/\s\[[a-z-]+\]$/, with: "") }
    }

    /// Returns rules in flow style, each with a store URL and an existing notice.
    private static func rules(_ rules: String...) -> String {
        let lines = rules.map { "- { \($0), notice: n, storeUrl: https://a.example }\n" }
        let words = "notices: { n: { en: { title: t, message: m } } }\n"
        return "rules:\n" + lines.joined() + words
    }

    /// Returns releases in flow style.
    private static func releases(_ releases: String...) -> String {
        "releases:\n" + releases.map { "- { \($0) }\n" }.joined()
    }

    @Test(arguments: [
        (
            Self.rules(#"id: a, minimum: "2.0""#, #"id: b, minimum: "1.0", match: { app: x }"#),
            [
                "r.yaml:3:9: warning: the rule 'b' never changes a decision: 'a' is at "
                    + "least as strict for the same clients"
            ]
        ),
        (
            Self.rules("id: a, minimumBuild: 7", "id: b, minimumBuild: 7, rollout: 100"),
            [
                "r.yaml:3:9: warning: the rule 'b' never changes a decision: 'a' is at "
                    + "least as strict for the same clients"
            ]
        ),
        (
            Self.rules(#"id: a, minimum: "1", until: 2026-12-01T00:00:00Z"#),
            ["r.yaml:2:26: warning: the rule 'a' ended at 2026-12-01T00:00:00Z"]
        ),
        (
            """
            rules:
            - id: a
              notice: n
              maintenance: { from: 2026-12-01T00:00:00Z, until: 2026-12-01T01:00:00Z }
            notices: { n: { en: { title: t, message: m } } }

            """,
            ["r.yaml:4:3: warning: the maintenance window of 'a' ended at 2026-12-01T01:00:00Z"]
        ),
        (
            Self.rules(#"id: a, minimum: "1", rollout: 20"#),
            ["r.yaml:2:26: warning: the rollout of 'a' stops at 20%"]
        ),
        (
            Self.rules(#"id: a, minimum: "1""#) + "  # more\n",
            []
        ),
        (
            """
            rules: []
            unidentified: { missing: allow, notice: b }
            notices:
              b: { en: { title: t, message: m } }
              a: { en: { title: t, message: m }, ja: { title: t, message: m } }

            """,
            [
                "r.yaml:4:3: warning: the notice 'b' has no text in 'ja', but other notices do",
                "r.yaml:5:3: warning: no rule uses the notice 'a'",
            ]
        ),
        (
            """
            rules: [{ id: a, recommended: "1", storeUrl: { default: "market://a", x: "http://b" } }]
            unidentified: { storeUrl: "HTTP://c" }

            """,
            [
                "r.yaml:1:36: warning: the store URL 'http://b' is not HTTPS",
                "r.yaml:2:1: warning: the store URL 'HTTP://c' is not HTTPS",
            ]
        ),
        ("rules: [{ id: a, minimumBuild: 1, storeUrl: \"itms-apps://a\" }]\n", []),
        (Self.rules(#"id: a, blockedBuilds: [41, { version: 3.x, build: ">=7" }]"#), []),
        (Self.rules(#"id: a, blockedBuilds: { versionMatches: beta }"#), []),
        (
            Self.rules(#"id: a, blockedBuilds: { versionMatches: '\d' }"#),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: no version passes; if this "
                    + "is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            Self.rules(#"id: a, blocked: ["<2", ">=2"]"#),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: no version passes; a list "
                    + "of ranges means 'or', and a space within a range means 'and'; if this is "
                    + "intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            Self.rules(#"id: a, blockedBuilds: ">=41""#),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it blocks all future "
                    + "versions, so no update helps; if this is intended, add 'accept: [lockout]' "
                    + "to the rule"
            ]
        ),
        (
            Self.rules(#"id: a, minimum: "3.9", blocked: ["3.8.x", "<3.9", "3.9.x"]"#),
            [
                "r.yaml:2:28: note: '3.8.x' need not be blocked: it is entirely below the "
                    + "minimum 3.9",
                "r.yaml:2:28: note: '<3.9' need not be blocked: it is entirely below the "
                    + "minimum 3.9",
            ]
        ),
        (
            Self.rules(#"id: a, recommended: "4.2", match: { app: x }"#, #"id: b, minimum: "5""#),
            [
                "r.yaml:2:12: warning: the recommended version 4.2 is denied by the rule 'b'",
                "r.yaml:3:12: error: the rule 'b' locks out all clients: it denies 4.2, the newest "
                    + "recommended version; if this is intended, add 'accept: [lockout]' to the "
                    + "rule",
            ]
        ),
        (
            Self.rules(#"id: a, minimum: "4.3", match: { platform: [ios, android] }"#)
                + Self.releases(
                    #"platform: ios, version: "4.2""#,
                    #"platform: ios, version: "4.3", releasedAt: 2026-12-25T00:00:00Z"#,
                    #"platform: android, version: "4.3""#
                ),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it denies 4.2, the "
                    + "newest release for ios in 'releases'; use 'holdUntilInStore' to wait; "
                    + "if this is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            // A floor with a hold does not prevent the lockout finding for a floor without one.
            Self.rules(
                #"id: a, minimum: "4.0", match: { platform: ios }"#,
                #"id: b, minimum: "4.3", match: { platform: ios }, holdUntilInStore: true"#
            ) + Self.releases(#"platform: ios, version: "4.2""#),
            []
        ),
        (
            // Some store has a later version, and F-Droid has an older one.
            Self.rules(#"id: a, minimum: "4.3", enforceFrom: 2027-01-01T00:00:00Z"#)
                + Self.releases(
                    #"platform: android, version: "4.3""#,
                    #"platform: android, channel: fdroid, version: "4.2", build: 7"#,
                    #"platform: ios, version: "4.4", releasedAt: 2026-12-31T00:00:00Z"#,
                    #"platform: ios, version: "4.2""#
                ),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it denies 4.2 (7), the "
                    + "newest release for android, fdroid in 'releases'; use "
                    + "'holdUntilInStore' to wait; if this is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            Self.rules("id: a, minimumBuild: 8, match: { platform: android }")
                + Self.releases(#"platform: android, version: "4.2", build: 7"#),
            [
                "r.yaml:2:12: error: the rule 'a' locks out all clients: it denies 4.2 (7), the "
                    + "newest release for android in 'releases'; use 'holdUntilInStore' to wait; "
                    + "if this is intended, add 'accept: [lockout]' to the rule"
            ]
        ),
        (
            // An older version would pass, but is no longer available.
            Self.rules(#"id: a, blocked: "4.2", match: { platform: ios }"#)
                + Self.releases(
                    #"platform: ios, version: "4.1""#,
                    #"platform: ios, version: "4.2""#,
                    #"platform: ios, version: "4.3", phased: partial"#
                ),
            [
                "r.yaml:2:12: warning: the rule 'a' denies 4.2, the newest release for ios in "
                    + "'releases': clients that have it cannot update"
            ]
        ),
        (
            Self.rules(
                #"id: a, minimum: "9", match: { platform: [ios, android], app: x }, "#
                    + "recommended: store, holdUntilInStore: true"
            )
                + Self.releases(
                    #"platform: ios, version: "4.2""#,
                    #"app: y, platform: android, version: "4.2""#
                ),
            [
                "r.yaml:2:71: warning: the rule 'a' recommends nothing: 'releases' has no entry for "
                    + "android",
                "r.yaml:2:91: warning: the rule 'a' waits forever: 'releases' has no entry "
                    + "for android",
            ]
        ),
        (
            Self.rules(
                #"id: a, minimum: "4.3", match: { platform: ios }, "#
                    + "holdUntilInStore: { countries: [jp, us, kr] }"
            )
                + Self.releases(
                    #"platform: ios, version: "4.2""#,
                    #"platform: ios, version: "4.3", countries: [jp]"#,
                    #"platform: ios, version: "4.4", countries: [us, kr]"#
                ),
            [
                "r.yaml:2:54: warning: the rule 'a' waits forever: no passing release for ios "
                    + "is available in all of 'jp', 'us', 'kr'"
            ]
        ),
        (
            Self.rules(#"id: a, recommended: "1""#)
                + Self.releases(
                    #"platform: ios, version: "4.2""#,
                    #"platform: iPhone, version: "4.2.0""#,
                    #"platform: ios, version: "4.2", build: 7, storeUrl: "http://a""#
                ),
            [
                "r.yaml:6:3: warning: the release 4.2.0 for ios is already listed at r.yaml:5:3",
                "r.yaml:7:3: warning: the store URL 'http://a' is not HTTPS",
            ]
        ),
        (
            Self.rules(#"id: a, minimum: "1", snooze: 1d, recommendedNotice: m, recommended: "2""#)
                .replacing("notices: {", with: "notices: { m: { en: { title: t, message: m } },")
                .replacing("{ n:", with: "{ cannotUpdate: { en: { title: t, message: m } }, n:"),
            []
        ),
        (
            """
            rules: [{ id: a, recommended: "1" }]
            notices:
              cannotUpdate: { en: { title: t, message: m } }

            """,
            [
                "r.yaml:3:3: warning: the notice 'cannotUpdate' is never shown: no rule has "
                    + "'requiresOS'"
            ]
        ),
        (
            """
            rules: []
            unidentified:
              missing: observe
              storeUrl: { default: https://a.example, countries: { jp: http://j.example } }
              paths:
              - { path: [/a, /b], missing: allow }
              - { path: /c, missing: observe, unreadable: observe }
              - { path: /d, missing: reject }

            """,
            [
                "r.yaml:2:1: warning: the store URL 'http://j.example' is not HTTPS",
                "r.yaml:6:5: warning: 'missing: allow' has no effect: a path can only be stricter "
                    + "than the general 'missing: observe'",
                "r.yaml:7:5: warning: 'missing: observe' has no effect: a path can only be stricter "
                    + "than the general 'missing: observe'",
            ]
        ),
    ])
    func `a warning has its location and its reason`(_ text: String, _ lines: [String]) throws {
        #expect(try self.warnings(text) == lines)
    }

    @Test(arguments: [
        // The first of two equal rules applies to a client.
        Self.rules(#"id: a, minimum: "1.0", match: { app: x }"#, #"id: b, minimum: "2.0""#),
        Self.rules(#"id: a, minimum: "2", match: { app: x }"#, #"id: b, minimum: "1""#),
        Self.rules(#"id: a, minimum: "2", mode: observe"#, #"id: b, minimum: "1""#),
        Self.rules(#"id: a, minimum: "2""#, #"id: b, minimum: "1", mode: observe"#),
        Self.rules(#"id: a, minimum: "2""#, #"id: b, minimum: "1", blocked: "2.1""#),
        Self.rules(#"id: a, minimum: "2""#, #"id: b, minimum: "1", recommended: "3""#),
        Self.rules(#"id: a, minimum: "2""#, "id: b, minimumBuild: 1"),
        Self.rules(#"id: a, minimum: "2""#, #"id: b, minimum: "1", prerelease: strict"#),
        // A release candidate of 2 passes the first rule, but is below the second one's floor.
        Self.rules(#"id: a, minimum: "2""#, #"id: b, minimum: "2-rc.2""#),
        Self.rules(
            #"id: a, minimum: "2", enforceFrom: 2027-01-01T00:00:00Z"#,
            #"id: b, minimum: "1""#
        ),
        // A client without an app is denied because of the second rule.
        Self.rules(#"id: a, minimum: "2""#, #"id: b, minimum: "1", match: { app: x }"#)
            + "unidentified: { missing: reject, storeUrl: https://a.example, notice: n }\n"
            + "exempt: [/healthz]\n",
        // Compared with a release, 3.0.0-rc.1 counts as 3.0.0.
        Self.rules(#"id: a, minimum: "3.0.0", blocked: "<=3.0.0-rc.1""#),
        Self.rules(#"id: a, minimum: "3", blocked: [">=3.1 <3.2", "3.0.x"]"#),
        // A floor with a hold locks out no client.
        Self.rules(#"id: a, minimum: "9", match: { platform: ios }, holdUntilInStore: true"#)
            + Self.releases(#"platform: ios, version: "4.2""#),
        Self.rules(#"id: a, minimum: "9", mode: observe"#)
            + Self.releases(#"platform: ios, version: "4.2""#),
        Self.rules(#"id: a, minimum: "9", warnFrom: 2026-01-01T00:00:00Z"#)
            + Self.releases(#"platform: ios, version: "4.2""#),
        // The builds of the release are unknown, and so are the releases of this app.
        Self.rules(#"id: a, minimumBuild: 9, match: { platform: ios }"#)
            + Self.releases(#"platform: ios, version: "4.2""#),
        Self.rules(#"id: a, minimum: "9", match: { platform: ios, app: x }"#)
            + Self.releases(#"app: y, platform: ios, version: "4.2""#),
        // The channel of the rule has its own release.
        Self.rules(#"id: a, minimum: "9", match: { platform: ios, channel: TestFlight }"#)
            + Self.releases(
                #"platform: ios, version: "4.2""#,
                #"platform: ios, channel: testflight, version: "9.0-rc.1""#
            ),
        // A phased release will be complete before the floor is enforced.
        Self.rules(
            #"id: a, minimum: "9", match: { platform: ios }, enforceFrom: 2027-01-08T00:00:00Z"#
        )
            + Self.releases(
                #"platform: ios, version: "4.2""#,
                #"platform: ios, version: "9", phasedFrom: 2027-01-01T00:00:00Z"#
            ),
        Self.rules(
            #"id: a, minimum: "9", match: { platform: ios }, "#
                + "rollout: [{ at: 2027-01-08T00:00:00Z, percent: 100 }]"
        )
            + Self.releases(
                #"platform: ios, version: "4.2""#,
                #"platform: ios, version: "9", releasedAt: 2027-01-01T00:00:00Z"#
            ),
        // A release without countries is in all countries.
        Self.rules(
            #"id: a, minimum: "9", match: { platform: ios }, holdUntilInStore: { countries: jp }"#
        )
            + Self.releases(#"platform: ios, version: "9""#),
        // Rules with a hold or a lower recommendation for some clients do not hide others.
        Self.rules(
            #"id: a, minimum: "2", match: { platform: ios }, holdUntilInStore: true"#,
            #"id: b, minimum: "2", match: { platform: ios }"#
        )
            + Self.releases(#"platform: ios, version: "2""#),
        Self.rules(
            #"id: a, recommended: "2", requiresOS: ">=16""#,
            #"id: b, recommended: "2""#
        ),
        Self.rules(
            #"id: a, minimum: "2", match: { platform: ios }"#,
            #"id: b, recommended: store, match: { platform: ios }"#
        )
            + Self.releases(#"platform: ios, version: "2""#),
        // Without a notice, the texts are in the body.
        "rules: [{ id: a, minimum: '2', storeUrl: https://a.example, body: { old: true } }]",
    ])
    func `valid intentions are not warned about`(_ text: String) throws {
        #expect(try self.warnings(text).isEmpty)
    }

    @Test(
        arguments: [
            (#"blocked: [">=3.9.0", "<3.9.4"]"#, "locks out all clients: no version passes"),
            (#"blocked: [">=1.0.0"]"#, "blocks all future versions"),
            (#"minimum: "2", blocked: [">9"]"#, "blocks all future versions"),
            (#"blocked: [">=3.9.0 <3.9.4"]"#, nil),
            (#"minimum: "2""#, nil),
        ] as [(String, String?)]
    )
    func `a rule that denies every update is found`(_ floor: String, _ warning: String?) throws {
        let found = try Self.findings(Self.rules("id: a, \(floor)"))
        let known = ["locks out all clients: no version passes", "blocks all future versions"]
        #expect(
            known.filter { text in found.contains { $0.contains(text) } }
                == [warning].compactMap { $0 }
        )
    }

    @Test func `an exemption for every path is found`() throws {
        let found = try Self.findings("exempt: ['/**']\n" + Self.rules(#"id: a, minimum: "2""#))
        #expect(found.contains { $0.contains("'exempt' covers every path") })
    }

    @Test(arguments: [
        "{ platform: ios, version: '4.3', releasedAt: 2030-01-01T00:00:00Z }",
        "{ platform: ios, version: '4.3', phased: partial }",
        "{ platform: ios, version: '4.2' }\n- { platform: ios, version: '4.3', countries: [jp] }",
        "{ platform: ios, version: '4.3', countries: [jp], storeCountries: [jp, kr] }",
    ])
    func `a floor that only some clients can reach, or only later, is found`(_ releases: String)
        throws
    {
        let rules = Self.rules(#"id: a, minimum: "4.3", match: { platform: ios }"#)
        let found = try Self.findings("releases:\n- \(releases)\n" + rules)
        #expect(found.contains { $0.contains("locks out all clients") }, "\(found)")
    }

    private static func findings(_ rules: String) throws -> [String] {
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", rules)])
        let now = try Timestamp(parsing: "2027-01-01T00:00:00Z")
        return Self.lines(RulesFindings(loaded, at: now))
    }

    @Test func `findings that feed values may resolve are not reported`() throws {
        func warnings(_ feed: String) throws -> [String] {
            let file = """
                feeds: [{ id: f, \(feed) }]
                rules:
                - { id: a, match: { platform: ios }, recommended: store, recommendedNotice: n }
                notices:
                  n: { en: { title: a, message: b } }
                  m: { en: { title: a, message: b } }

                """
            let rules = try RulesFileLoader.load(sources: [("rules.yaml", file)])
            return Self.lines(RulesFindings(rules, at: SystemClock.now()))
        }
        let store = "'releases' has no entry for ios"
        let notice = "no rule uses the notice 'm'"
        #expect(try warnings("source: https, url: 'https://a.example'").isEmpty)
        let facts = try warnings("source: appStore, trackId: 1, countries: jp")
        #expect(facts.count == 1 && facts[0].hasSuffix(notice))
        let other = try warnings(
            "source: firebaseDatabase, database: 'https://a.firebaseio.com', rule: { notice: m }"
        )
        #expect(other.count == 1 && other[0].hasSuffix(store))
    }

    @Test(arguments: ShippedRules.all)
    func `shipped files have no warnings`(_ shipped: ShippedRules) throws {
        let now = try Timestamp(parsing: "2026-11-20T00:00:00Z")
        let rules = try RulesFileLoader(path: shipped.path, now: { now }).load()
        let findings = RulesFindings(rules, at: now).all.filter { $0.effect != .notes }
        #expect(findings.map(\.description) == [])
    }
}
