import Testing

@testable import GatePolicy

/// A planned floor under `next` never weakens the active floor.
struct NextTests {
    private static func version(_ text: String) throws -> AppVersion {
        try AppVersion(parsing: text)
    }

    /// Creates a rule with a floor of 3.5 and a planned floor of 4.0.
    private func rules(
        _ schedule: RuleSchedule = .always,
        rollout: [RolloutStep] = [],
        base mode: RuleMode = .enforce,
        mode nextMode: RuleMode = .enforce,
        whole: RuleMode = .enforce
    ) throws -> RuleSet {
        var base = try rule("ios", minimum: "3.5", recommended: "4.2")
        base.mode = mode
        var next = base
        next.minimum = try Self.version("4.0")
        next.schedule = schedule
        next.rollout = rollout
        next.mode = nextMode
        next.notice = "goodbye"
        base.next = [next]
        return RuleSet(RuleSetDefinition(revision: "r", mode: whole, rules: [base]))
    }

    private func kind(_ text: String, _ rules: RuleSet, at now: Int64) throws -> Decision.Kind {
        rules.decide(try client(version: text), at: second(now)).kind
    }

    @Test(arguments: [
        ("3.4", 0, Decision.Kind.require), ("3.9", 0, .recommend), ("4.2", 0, .allow),
        ("3.4", 10, .require), ("3.9", 10, .recommend), ("4.1", 10, .recommend),
        ("3.4", 20, .require), ("3.9", 20, .require), ("4.1", 20, .recommend), ("4.2", 20, .allow),
    ])
    func `the rule stays active, and next adds its floor at its date`(
        _ version: String,
        _ now: Int64,
        _ expected: Decision.Kind
    ) throws {
        let schedule = RuleSchedule(warnFrom: second(10), enforceFrom: second(20))
        #expect(try self.kind(version, try self.rules(schedule), at: now) == expected)
    }

    @Test func `next has the ID of its rule and its own minimum and notice`() throws {
        let decision = try self.rules(RuleSchedule(enforceFrom: second(20)))
            .decide(try client(version: "3.9"), at: second(20))
        #expect(decision.ruleID == "ios" && decision.ruleIndex == 0)
        #expect(try decision.upgrade.minimum == Self.version("4.0"))
        #expect(decision.upgrade.notice == "goodbye")
    }

    @Test func `a decision is valid until the date of next`() throws {
        let decision = try self.rules(RuleSchedule(enforceFrom: second(20)))
            .decide(try client(version: "3.9"), at: second(0))
        #expect(decision.validUntil == second(20))
    }

    @Test func `a rollout of next uses the buckets of its rule`() throws {
        let rules = try self.rules(rollout: [RolloutStep(percent: 40)])
        var alone = try rule("ios", minimum: "4.0")
        alone.rollout = [RolloutStep(percent: 40)]
        let reference = RuleSet(RuleSetDefinition(revision: "r", rules: [alone]))
        for number in 0..<200 {
            var subject = try client(version: "3.9")
            subject.device = .stated("device-\(number)")
            let isIn = reference.decide(subject, at: second(0)).kind == .require
            #expect((rules.decide(subject, at: second(0)).kind == .require) == isIn)
        }
        #expect(rules.dependsOnAddress)
    }

    @Test func `an observing next is only recorded`() throws {
        let decision = try self.rules(mode: .observe)
            .decide(try client(version: "3.9"), at: second(0))
        #expect(decision.kind == .recommend)
        #expect(decision.observed.map(\.kind) == [.require])
    }

    @Test(arguments: [
        // Below both floors, and below the planned floor only.
        ("3.4", 0, [Decision.Kind.require]), ("3.9", 0, [.recommend]), ("3.4", 20, [.require]),
        ("3.9", 20, [.require]), ("4.2", 20, []),
    ])
    func `an observing rule is recorded once, with the stricter of its floors`(
        _ version: String,
        _ now: Int64,
        _ expected: [Decision.Kind]
    ) throws {
        let schedule = RuleSchedule(warnFrom: second(10), enforceFrom: second(20))
        for modes in [(RuleMode.observe, RuleMode.enforce), (.enforce, .observe)] {
            let rules = try self.rules(schedule, base: modes.0, mode: modes.0, whole: modes.1)
            let decision = rules.decide(try client(version: version), at: second(now))
            let kinds = decision.observed.map(\.kind)
            // In a file that only observes, hints are sent but not recorded.
            let counted = modes.1 == .observe ? expected.filter { $0 == .require } : expected
            #expect(kinds == counted, "\(modes)")
        }
    }

    @Test func `an unidentified client is recorded once for a rule and its next`() throws {
        var base = try rule("ios", minimum: "3.5")
        var next = base
        next.minimum = try Self.version("4.0")
        (base.mode, next.mode) = (.observe, .observe)
        base.next = [next]
        let rules = RuleSet(
            RuleSetDefinition(
                revision: "r",
                unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject),
                rules: [base]
            )
        )
        let decision = rules.decide(ClientIdentity(), at: second(0))
        #expect(decision.observed.map(\.ruleID) == ["ios"])
    }

    @Test(arguments: [("3.4", Decision.Kind.recommend), ("3.9", .recommend), ("4.2", .allow)])
    func `a file that only observes enforces nothing but sends hints`(
        _ version: String,
        _ expected: Decision.Kind
    ) throws {
        let rules = try self.rules(whole: .observe)
        let decision = rules.decide(try client(version: version), at: second(0))
        #expect(decision.kind == expected)
        #expect(decision.observed.isEmpty == (version == "4.2"))
    }

    @Test func `a file that only observes does not reject unidentified clients`() throws {
        let rules = RuleSet(
            RuleSetDefinition(
                revision: "r",
                mode: .observe,
                unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject),
                rules: [try rule("ios", minimum: "3.5")]
            )
        )
        let decision = rules.decide(ClientIdentity(), at: second(0))
        #expect(decision.kind == .allow)
        #expect(decision.observed.count == 1)
    }

    @Test func `a floor that only warns does not reject clients without a version`() throws {
        var warning = try rule("ios", minimum: "3.5")
        warning.schedule = RuleSchedule(warnFrom: second(0), enforceFrom: second(20))
        warning.minimumBuild = 7
        let rules = RuleSet(
            RuleSetDefinition(
                revision: "r",
                unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .allow),
                rules: [warning]
            )
        )
        let builds = ClientIdentity(version: .stated(try Self.version("9")))
        #expect(rules.decide(builds, at: second(5)).kind == .allow)
        #expect(rules.decide(builds, at: second(20)).kind == .require)
    }
}
