import Foundation
import GatePolicy
import GateRules
import RulesTestSupport
import Testing

struct DifferenceReportTests {
    private static func rules(_ text: String) throws -> RuleSet {
        RuleSet(try RulesFileLoader.load(sources: [("rules.yaml", text)]).definition)
    }

    private static func report(_ old: String, _ new: String) throws -> DifferenceReport {
        let comparison = RuleSetComparison(old: try self.rules(old), new: try self.rules(new))
        let now = try Timestamp(parsing: "2027-01-01T00:00:00Z")
        return DifferenceReport(comparison.difference(at: now))
    }

    private static func floor(_ minimum: String, _ more: String = "") -> String {
        """
        rules:
          - { id: floor, match: { platform: ios }, minimum: "\(minimum)", storeUrl: "https://a"\(more) }

        """
    }

    @Test func `no difference is reported in one line`() throws {
        let report = try Self.report(Self.floor("3"), Self.floor("3.0.0"))
        #expect(report.description == "no client gets a different decision")
    }

    @Test func `differences that versions cannot represent are reported as not compared`() throws {
        let beta = ", blockedBuilds: { versionMatches: beta }"
        let report = try Self.report(Self.floor("3"), Self.floor("3", beta))
        #expect(
            report.description == """
                no client that was compared gets a different decision
                'versionMatches' or 'buildMatches' has changed: differences in the format of versions \
                and builds were not compared
                """
        )
        let same = try Self.report(Self.floor("3", beta), Self.floor("3.0.0", beta))
        #expect(same.description == "no client gets a different decision")
    }

    @Test func `a change is reported with its clients, decisions and times`() throws {
        let later = ", enforceFrom: 2027-02-01T00:00:00Z, rollout: 100"
        #expect(
            try Self.report(Self.floor("3"), Self.floor("4", later)).description == """
                clients are newly denied; others are no longer denied
                now:
                  platform ios, version <3: require (426) by rule floor -> allow
                from 2027-02-01T00:00:00Z on:
                  platform ios, version >=3 <4: allow -> require (426) by rule floor
                  no longer: platform ios, version <3: require (426) by rule floor -> allow
                """
        )
    }

    private static func route(
        _ versions: String,
        to backend: String = "legacy",
        otherwise: String = "refuse"
    ) -> String {
        """
        rules:
          - id: old
            match: { platform: ios }
            route: { to: \(backend), versions: "\(versions)", otherwise: \(otherwise) }

        """
    }

    @Test(arguments: [
        (
            "rules: []", Self.route("<4"),
            "platform ios, version <4: allow -> allow, backend legacy by rule old instead of default"
        ),
        (
            Self.route("<4"), "rules: []",
            "platform ios, version <4: allow -> allow, backend default instead of legacy"
        ),
        (
            Self.route("<3"), Self.route("<4", to: "archive"),
            """
            platform ios, version <3: allow -> allow, backend archive by rule old instead of legacy
              platform ios, version >=3 <4: allow -> allow, backend archive by rule old instead of default
            """
        ),
    ])
    func `a route is reported with both backends`(old: String, new: String, line: String) throws {
        let report = try Self.report(old, new)
        #expect(report.description == "clients are sent to another backend\nnow:\n  \(line)")
        let data = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
        #expect(data.contains(#""kind":"sent to another backend""#))
        #expect(data.contains(#""otherwise":"refuse""#) && data.contains(#""isDifferent":true"#))
    }

    @Test func `another fallback and a denial instead of a route are reported`() throws {
        let fallback = try Self.report(Self.route("<4"), Self.route("<4", otherwise: "default"))
        #expect(
            fallback.description == """
                clients are given another fallback
                now:
                  platform ios, version <4: allow -> allow, backend legacy by rule old, otherwise \
                default instead of refuse
                """
        )
        let refusal = try Self.report(Self.route("<3"), Self.floor("3"))
        #expect(
            refusal.description == """
                clients are newly denied
                now:
                  platform ios, version <3: allow, backend legacy by rule old -> require (426) by \
                rule floor
                """
        )
    }

    @Test func `a brownout is reported by name, with its end`() throws {
        let dates = ", warnFrom: 2027-01-01T00:00:00Z, enforceFrom: 2027-01-15T00:00:00Z"
        let weekly = dates + ", brownouts: { every: 7d, for: 1h }"
        let report = try Self.report(Self.floor("3", dates), Self.floor("3", weekly))
        let line =
            "platform ios, version <3: recommend by rule floor -> require (426) by rule floor in a "
            + "brownout"
        #expect(
            report.description == """
                clients are newly denied
                from 2027-01-08T00:00:00Z on:
                  \(line)
                from 2027-01-08T01:00:00Z on:
                  no longer: \(line)
                """
        )
        let data = String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
        #expect(data.contains(#""isBrownout":true"#))
    }

    @Test func `a changed store URL is reported if nothing else differs`() throws {
        let other = Self.floor("3").replacing("https://a", with: "https://b")
        #expect(
            try Self.report(Self.floor("3"), other).description == """
                clients are answered otherwise
                now:
                  platform ios, version <3: require (426) by rule floor, store URL https://a -> \
                require (426) by rule floor, store URL https://b
                """
        )
    }

    @Test func `changed identity sources are reported`() throws {
        let other = "identity: { headers: { version: X-V } }\n" + Self.floor("3")
        #expect(
            try Self.report(Self.floor("3"), other).description == """
                no client gets a different decision
                'identity' has changed: clients may be identified differently
                """
        )
    }

    @Test(arguments: [
        ", status: 403", ", body: old", ", requiresOS: '>=99'", ", notice: n",
    ])
    func `a changed response is a difference`(_ more: String) throws {
        let notices = "notices: { n: { en: { title: t, message: m } } }\n"
        let report = try Self.report(notices + Self.floor("3"), notices + Self.floor("3", more))
        #expect(report.description.hasPrefix("clients are answered otherwise\n"))
    }

    @Test func `a changed store URL for a country is a difference`() throws {
        func floor(_ link: String) -> String {
            """
            rules:
              - id: a
                minimum: "3"
                storeUrl: { default: "https://a.example", countries: { jp: "\(link)" } }

            """
        }
        let report = try Self.report(floor("https://b.example"), floor("https://c.example"))
        #expect(report.description.hasPrefix("clients are answered otherwise\n"))
    }

    @Test func `the report is encoded as JSON`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let old = "exempt: [/a]\n" + Self.floor("3")
        let data = try encoder.encode(try Self.report(old, Self.floor("3")))
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"isDifferent":true,"isSampled":false,"periods":[{"changes":[{"after":"#
                + #"{"decision":"require","rule":"floor","status":426,"storeUrl":"https://a"},"#
                + #""before":{"decision":"allow"},"kind":"newly denied","platforms":{"only":"#
                + #"["ios"]},"requests":{"only":["/a"]},"share":1,"versions":"<3"}],"#
                + #""from":"2027-01-01T00:00:00Z"}]}"#
        )
    }
}
