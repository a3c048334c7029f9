import Testing

@testable import GatePolicy

struct GateFieldTests {
    static let cases: [(version: String, facts: [String])] = [
        ("1.0", ["decision=require", "observed=second,third", "revision=r", "rule=first"]),
        ("2.5", ["decision=allow", "observed=third", "revision=r"]),
        // An observed recommendation counts as well.
        ("3.5", ["decision=allow", "observed=third", "revision=r"]),
        ("4.0", ["decision=allow", "revision=r"]),
    ]

    @Test(arguments: cases)
    func `the facts of a decision name the rules that only observe`(
        version: String,
        facts: [String]
    ) throws {
        let rules = ruleSet([
            try rule("first", minimum: "1.5"),
            try rule("second", minimum: "2", mode: .observe),
            try rule("third", minimum: "3", recommended: "4", mode: .observe),
        ])
        let decision = rules.decide(try client(version: version), in: rules.scope())
        #expect(decision.facts(of: "r").map { "\($0.name)=\($0.value)" } == facts)
    }

    @Test func `the policy for unidentified clients has a name of its own`() throws {
        let rules = ruleSet(
            [try rule("first", minimum: "1.5")],
            unidentified: UnidentifiedPolicy(missing: .observe, unreadable: .allow)
        )
        let decision = rules.decide(try client(version: nil), in: rules.scope())
        #expect(decision.observedRules == "unidentified")
    }
}
