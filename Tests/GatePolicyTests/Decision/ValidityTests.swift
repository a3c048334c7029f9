import GateTestSupport
import Testing

@testable import GatePolicy

/// Properties of all rule sets at every second, tested with random rule sets from fixed seeds.
@Suite(.ownThread) struct ValidityTests {
    private struct Case {
        let judge: ReferenceJudge
        let rules: RuleSet
        /// The decisions at the seconds -2 to 25, a period that includes all dates in a random rule set.
        let decisions: [Decision]

        static let seconds = Int64(-2)...25

        init(_ draw: inout Draw, rules count: Int, announcers: Int = 0) throws {
            let judge = ReferenceJudge(
                rules: try draw.announcers(announcers) + draw.rules(count),
                policy: try draw.policy(),
                releases: try draw.releases(count * 2),
                identity: try draw.identity(),
                target: try draw.one(of: ["/", "/a", "/a/b", "/c/b"]),
                address: try draw.one(of: [nil, "192.0.2.1", "192.0.2.2"])
            )
            let rules = ruleSet(
                judge.rules,
                unidentified: judge.policy,
                releases: judge.releases
            )
            let scope = rules.scope("GET", judge.target)
            self.decisions = Self.seconds.map {
                rules.decide(judge.identity, in: scope, at: second($0), address: judge.address)
            }
            self.judge = judge
            self.rules = rules
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `a decision does not change before its validUntil`(seed: UInt64) throws {
        var draw = Draw(random: SeededGenerator(seed: seed))
        var changes = 0
        for number in 0..<80 {
            let announcers = number < 60 ? 0 : number % 3
            let subject = try Case(&draw, rules: number % 5, announcers: announcers)
            let decided = Array(zip(Case.seconds, subject.decisions))
            for (now, decision) in decided {
                if let end = decision.validUntil {
                    #expect(end > second(now))
                }
                for (later, other) in decided where later > now {
                    guard decision.validUntil.map({ second(later) < $0 }) ?? true else { break }
                    #expect(other == decision, "seed \(seed), second \(now) to \(later)")
                }
            }
            changes += zip(subject.decisions, subject.decisions.dropFirst()).count { $0 != $1 }
            #expect(subject.decisions.last?.validUntil == nil)
        }
        // The test is only meaningful if decisions change.
        #expect(changes > 20)
    }

    @Test func `the random rule sets cover holds, updates and store URLs`() throws {
        var draw = Draw(random: SeededGenerator(seed: 101))
        var decisions: [Decision] = []
        for _ in 0..<200 { decisions += try Case(&draw, rules: 5).decisions }
        #expect(decisions.count { !$0.held.isEmpty } > 200)
        #expect(decisions.count { $0.held.contains { $0.until == nil } } > 50)
        #expect(decisions.count { $0.upgrade.cannotUpdate } > 10)
        #expect(decisions.count { $0.upgrade.storeURL != nil } > 100)
        #expect(decisions.count { $0.warning != nil && $0.upgrade.storeURL != nil } > 5)
        for _ in 0..<200 { decisions += try Case(&draw, rules: 2, announcers: 2).decisions }
        #expect(decisions.count { $0.brownout != nil } > 100)
        #expect(decisions.count { $0.brownout != nil && $0.warning?.nextBrownout != nil } > 50)
    }

    @Test(arguments: UInt64(101)...115)
    func `the evaluator and the reference implementation agree`(seed: UInt64) throws {
        var draw = Draw(random: SeededGenerator(seed: seed))
        for number in 0..<80 {
            let announcers = number < 60 ? 0 : number % 3
            let subject = try Case(&draw, rules: number % 7, announcers: announcers)
            for (now, decision) in zip(Case.seconds, subject.decisions) {
                let expected = subject.judge.outcome(at: second(now))
                let outcome = ReferenceJudge.Outcome(
                    kind: decision.kind,
                    rule: decision.ruleID,
                    gap: decision.gap,
                    observed: decision.observed.map { "\($0.ruleID ?? "policy") \($0.kind)" },
                    held: decision.held.map {
                        "\($0.ruleID) \($0.until?.description ?? "open")"
                    },
                    latest: decision.upgrade.latest,
                    storeURL: decision.upgrade.storeURL,
                    cannotUpdate: decision.upgrade.cannotUpdate,
                    enforcedFrom: decision.warning?.enforcedFrom,
                    brownoutUntil: decision.brownout?.until,
                    nextBrownout: decision.warning?.nextBrownout?.from,
                    maintenance: decision.maintenance
                )
                #expect(outcome == expected, "seed \(seed), second \(now)")
            }
        }
    }

    @Test func `a decision without dates has no validUntil`() throws {
        let rules = ruleSet([try rule("r", minimum: "4", rollout: [RolloutStep(percent: 5)])])
        for version in ["3", "5"] {
            #expect(rules.decide(try client(version: version), at: second(0)).validUntil == nil)
        }
        #expect(Decision.preflight.validUntil == nil)
    }

    @Test func `a rule that does not match the client does not limit validUntil`() throws {
        let timed = try rule(
            "r",
            match: RuleMatch(platforms: [.android]),
            minimum: "4",
            schedule: RuleSchedule(enforceFrom: second(10))
        )
        let rules = ruleSet([timed], exemptions: [try RequestPattern(path: "/x", methods: nil)])
        #expect(rules.decide(try client(version: "3"), at: second(0)).validUntil == nil)
        let android = try client(platform: .android, version: "3")
        #expect(rules.decide(android, at: second(0)).validUntil == second(10))
        #expect(rules.decide(android, at: second(10)).validUntil == nil)
        let exempt = rules.scope("GET", "/x")
        #expect(rules.decide(android, in: exempt, at: second(0), address: nil).validUntil == nil)
    }

    @Test func `no number crashes the evaluator`() throws {
        let times = [Int64.min, -1, 0, 1, 1_800_000_000, 253_402_300_799, .max].map {
            Timestamp(secondsSinceEpoch: $0)
        }
        var random = SeededGenerator(seed: 11)
        func any() -> Timestamp { times.randomElement(using: &random) ?? second(0) }
        let percents = [Double.nan, -.infinity, -1, 0, 1e-300, 100, 1e308, .infinity]
        let old = try client(version: "1", device: "d")
        for percent in percents {
            for _ in 0..<40 {
                let rule = try rule(
                    "r",
                    minimum: "4",
                    schedule: RuleSchedule(warnFrom: any(), enforceFrom: any(), until: any()),
                    rollout: [RolloutStep(at: any(), percent: percent), .init(percent: -percent)],
                    maintenance: MaintenanceWindow(from: any(), until: any(), announceFrom: any())
                )
                let rules = ruleSet([rule])
                let now = any()
                let decision = rules.decide(old, at: now)
                let answer = rules.answer(to: decision, for: old, at: any())
                #expect((answer != nil) == (decision.kind >= .require))
                #expect(decision.kind < .require || rules.hint(for: decision).isEmpty)
                #expect(decision.validUntil.map { $0 > now } ?? true)
            }
        }
    }
}
