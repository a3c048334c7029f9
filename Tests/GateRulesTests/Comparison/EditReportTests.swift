import Foundation
import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// The report on a change to rules, edit by edit.
struct EditReportTests {
    private static func reports(
        _ old: String,
        _ new: String
    ) throws -> (edits: EditReport, detail: DifferenceReport) {
        let before = try RulesFileLoader.load(sources: [("rules.yaml", old)])
        let after = try RulesFileLoader.load(sources: [("rules.yaml", new)])
        let comparison = RuleSetComparison(old: before.ruleSet, new: after.ruleSet)
        let difference = comparison.difference(at: try Timestamp(parsing: "2027-01-01T00:00:00Z"))
        let edits = RulesEdits(from: before, to: after)
        return (
            EditReport(edits, difference, new: after.definition), DifferenceReport(difference)
        )
    }

    private static func report(_ old: String, _ new: String) throws -> String {
        try self.reports(old, new).edits.description
    }

    private static func floor(_ minimum: String, _ more: String = "") -> String {
        """
        rules:
          - { id: floor, match: { platform: ios }, minimum: "\(minimum)", storeUrl: "https://a"\(more) }

        """
    }

    @Test func `an edit without effect is reported`() throws {
        #expect(
            try Self.report(Self.floor("3"), Self.floor("3"))
                == "no client gets a different decision"
        )
        #expect(
            try Self.report(Self.floor("3"), Self.floor("3.0.0")) == """
                no client gets a different decision
                rule 'floor':
                  minimum: "3" -> "3.0.0"
                """
        )
    }

    @Test func `an edit is reported with its setting and its effect over time`() throws {
        let later = ", enforceFrom: 2027-02-01T00:00:00Z, rollout: 100"
        #expect(
            try Self.report(Self.floor("3"), Self.floor("4", later)) == """
                clients are newly denied; others are no longer denied
                rule 'floor':
                  minimum: "3" -> "4"
                  enforceFrom: new, 2027-02-01T00:00:00Z
                  rollout: new, 100
                  => until 2027-02-01T00:00:00Z: <3: no longer denied
                  => from 2027-02-01T00:00:00Z on: >=3 <4: newly denied
                --detail shows each group of clients
                """
        )
    }

    @Test func `an edited route is reported with its value and the clients that it moves`() throws {
        func rules(_ route: String) -> String {
            "rules: [{ id: old, match: { platform: ios }, route: { \(route) } }]"
        }
        #expect(
            try Self.report(
                rules("to: legacy, versions: \"<3\", otherwise: refuse"),
                rules("to: archive, versions: \"<4\", otherwise: refuse")
            ) == """
                clients are sent to another backend
                rule 'old':
                  route: { to: "legacy", versions: "<3", otherwise: "refuse" } -> { to: "archive", versions: "<4", \
                otherwise: "refuse" }
                  => now: >=3 <4: sent to backend archive instead of default
                  => now: <3: sent to backend archive instead of legacy
                --detail shows each group of clients
                """
        )
        let before = try RulesFileLoader.load(
            sources: [("r.yaml", rules("to: a, otherwise: refuse"))]
        )
        let after = try RulesFileLoader.load(
            sources: [("r.yaml", rules("to: b, otherwise: refuse"))]
        )
        // The lines that the audit log and the log of a reload list.
        #expect(
            RulesEdits(from: before, to: after).words == [
                "rule 'old':",
                "  route: { to: \"a\", otherwise: \"refuse\" } -> { to: \"b\", otherwise: \"refuse\" }",
            ]
        )
    }

    @Test func `brownouts are counted instead of listed`() throws {
        let dates = ", warnFrom: 2027-01-01T00:00:00Z, enforceFrom: 2027-01-29T00:00:00Z"
        let weekly = dates + ", brownouts: { every: 7d, for: 1h }"
        #expect(
            try Self.report(Self.floor("3", dates), Self.floor("3", weekly)) == """
                clients are newly denied
                rule 'floor':
                  brownouts: new, { every: "7d", for: "1h" }
                  => from 2027-01-08T00:00:00Z to 2027-01-22T01:00:00Z, 3 times: <3: newly denied
                --detail shows each group of clients
                """
        )
    }

    @Test func `added rules, removed rules and changed texts are reported`() throws {
        let words = "notices: { n: { en: { title: Old words, message: m } } }\n"
        let old = Self.floor("3", ", notice: n") + words
        let new = """
            rules:
              - { id: floor, match: { platform: ios }, minimum: "3", storeUrl: "https://a", notice: n }
              - { id: other, match: { platform: android }, minimum: "2", storeUrl: "https://a" }

            """ + words.replacing("Old", with: "New")
        let report = try Self.report(old, new)
        #expect(
            report == """
                clients are newly denied; others are answered otherwise
                rule 'other' is new: match: { platform: "android" }, minimum: "2", storeUrl: "https://a"
                  => now: <2: newly denied
                notice 'n':
                  en.title: "Old words" -> "New words"
                  => now: <3: answered otherwise
                --detail shows each group of clients
                """
        )
        let gone = try Self.report(new, old)
        #expect(gone.contains("\nrule 'other' was removed: match: "))
        #expect(gone.contains("\n  => now: <2: no longer denied\n"))
    }

    @Test func `settings of the file are reported by name`() throws {
        let old = "exempt: [/healthz]\n" + Self.floor("3")
        let new = "exempt: [/healthz, /logout]\n" + Self.floor("3")
        let report = try Self.report(old, new)
        #expect(report.contains("\nexempt: [\"/healthz\"] -> [\"/healthz\", \"/logout\"]\n"))
        #expect(report.contains("\n  => now: <3: no longer denied\n"))
    }

    /// Six typical edits, for which the full report has two hundred lines.
    @Test func `the report on six edits of the shipped rules fits on a screen`() throws {
        let file = Project.rules.appending(path: "rules.yaml")
        let old = try String(contentsOf: file, encoding: .utf8)
        var new = old
        for (before, after) in [
            ("minimum: \"3.5.0\"", "minimum: \"3.8.0\""),
            ("blocked: [\"3.7.2\", ", "blocked: [\"3.7.2\", \"4.0.1\", "),
            (
                "minimum: \"3.4.0\"\n",
                "minimum: \"3.4.0\"\n    next: { minimum: \"4.0.0\", enforceFrom: 2027-02-01T00:00:00Z, "
                    + "rollout: [{ at: 2027-02-01T00:00:00Z, percent: 10 }, "
                    + "{ at: 2027-02-08T00:00:00Z, percent: 100 }] }\n"
            ),
            ("minimumBuild: 41200", "minimumBuild: 41300"),
            ("Please update to the latest version.", "Please update it."),
            (
                "rules:\n",
                "rules:\n  - { id: night, match: { path: /v2/orders/** }, maintenance: "
                    + "{ from: 2027-01-10T01:00:00Z, until: 2027-01-10T03:00:00Z } }\n"
            ),
            ("version: \"4.2.0\", build: 41199", "version: \"4.2.0\", build: 41200"),
        ] {
            #expect(new.contains(before))
            new = new.replacing(before, with: after)
        }
        let (edits, detail) = try Self.reports(old, new)
        let lines = edits.description.split(separator: "\n")
        #expect(lines.count <= 40, "\(edits)")
        #expect(lines.allSatisfy { $0.count <= 200 }, "\(edits)")
        #expect(detail.description.split(separator: "\n").count > 2 * lines.count, "\(detail)")
        for subject in [
            "rule 'night' is new", "rule 'ios':", "rule 'android':", "notice 'upgrade':",
        ] {
            #expect(lines.contains { $0.hasPrefix(subject) }, "\(edits)")
        }
    }
}
