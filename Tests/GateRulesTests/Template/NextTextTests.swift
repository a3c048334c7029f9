import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// A floor as text, pasted into a rules file.
struct NextTextTests {
    private static func rule(_ next: String) throws -> RuleDefinition {
        let text = """
            rules:
            - id: a
              match: { platform: ios }
              minimum: "1"
              storeUrl: https://apps.apple.com/app/id1
              \(next)
            """
        let loaded = try RulesFileLoader.load(sources: [("r.yaml", text)])
        return try #require(loaded.definition.rules.first)
    }

    @Test(arguments: [
        #"minimum: "4.0", enforceFrom: 2027-01-01T00:00:00Z"#,
        // YAML reads a number without quotation marks as 93.1, and Norway's code as `false`.
        #"minimumBuild: "93.10", enforceFrom: 2027-01-01T00:00:00Z"#,
        #"minimum: "4.0", holdUntilInStore: { countries: ["no", jp], soak: 3d }"#,
        #"minimum: "4.0", blockedBuilds: [{ version: "3.x", build: "1.10" }]"#,
        #"blocked: ["3.1", ">=3.2 <3.3"], mode: observe, enforceFrom: 2027-01-01T00:00:00Z"#,
        #"minimum: "4.0", rollout: 12.5, enforceFrom: 2027-01-01T00:00:00Z"#,
    ])
    func `the text has the same floor`(next: String) throws {
        let rule = try Self.rule("next: { \(next) }")
        let floor = try #require(rule.next.first)
        let pasted = try Self.rule(NextText(floor, besides: rule).text)
        #expect(pasted == rule)
    }
}
