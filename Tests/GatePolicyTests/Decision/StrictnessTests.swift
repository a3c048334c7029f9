import GateTestSupport
import Testing

@testable import GatePolicy

/// Properties of all rule sets, tested with random rule sets from fixed seeds.
@Suite(.ownThread) struct StrictnessTests {
    @Test(arguments: UInt64(1)...20)
    func `adding a rule never weakens a decision, and order never changes it`(seed: UInt64) throws {
        var draw = Draw(random: SeededGenerator(seed: seed))
        for _ in 0..<40 {
            let policy = try draw.policy()
            let identity = try draw.identity()
            let target = try draw.one(of: ["/", "/a", "/a/b", "/c/b"])
            let rules = try draw.rules(6)
            let releases = try draw.releases(6)
            let now = draw.second()
            let address = try draw.one(of: [nil, "192.0.2.1", "192.0.2.2"])
            func decide(_ rules: some Sequence<RuleDefinition>) -> Decision {
                let rules = ruleSet(Array(rules), unidentified: policy, releases: releases)
                return rules.decide(
                    identity,
                    in: rules.scope("GET", target),
                    at: now,
                    address: address
                )
            }
            let decisions = (0...rules.count).map { decide(rules.prefix($0)) }
            for (before, after) in zip(decisions, decisions.dropFirst()) {
                #expect(before.kind <= after.kind)
            }
            for _ in 0..<4 {
                let shuffled = decide(rules.shuffled(using: &draw.random))
                #expect(shuffled.kind == decisions.last?.kind)
                #expect(shuffled.gap == decisions.last?.gap)
                #expect(shuffled.warning?.enforcedFrom == decisions.last?.warning?.enforcedFrom)
                #expect(shuffled.brownout?.until == decisions.last?.brownout?.until)
                #expect(shuffled.maintenance?.until == decisions.last?.maintenance?.until)
                #expect(
                    Set(shuffled.held.map(\.ruleID))
                        == Set(decisions.last?.held.map(\.ruleID) ?? [])
                )
                #expect(shuffled.validUntil == decisions.last?.validUntil)
            }
        }
    }
}
