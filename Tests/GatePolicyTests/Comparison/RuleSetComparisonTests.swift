import Testing

@testable import GatePolicy

@Suite struct RuleSetComparisonTests {
    static func difference(
        _ old: [RuleDefinition],
        _ new: [RuleDefinition],
        budget: Int = 200_000
    ) -> RuleSetDifference {
        RuleSetComparison(old: ruleSet(old), new: ruleSet(new), budget: budget)
            .difference(at: second(0))
    }

    /// Changes in short: `ios/>=3 <4: allow>require`.
    static func short(_ period: ComparedPeriod?) -> [String] {
        period?.changes.map { change in
            let platforms =
                switch change.platforms {
                case nil: "all"
                case .only(let names): names.joined(separator: "+")
                case .allBut(let names): "not " + names.joined(separator: "+")
                }
            return "\(platforms)/\(change.versions): \(change.before.kind)>\(change.after.kind)"
        } ?? []
    }

    @Test func `equal rules, in any order, make no difference`() throws {
        let rules = [
            try rule("a", match: RuleMatch(platforms: [.ios]), minimum: "3"),
            try rule("b", minimum: "2", schedule: RuleSchedule(enforceFrom: second(9))),
        ]
        let difference = Self.difference(rules, rules.reversed())
        #expect(difference.isEmpty)
        #expect(!difference.isSampled)
    }

    @Test func `a floor that is raised is one stretch of versions`() throws {
        let match = RuleMatch(platforms: [.ios])
        let difference = Self.difference(
            [try rule("a", match: match, minimum: "3")],
            [try rule("a", match: match, minimum: "4", recommended: "5")]
        )
        #expect(difference.periods.count == 1)
        #expect(
            Self.short(difference.periods.first) == [
                "ios/>=3 <4: allow>require", "ios/>=4 <5: allow>recommend",
            ]
        )
    }

    @Test func `who is meant is as few words as it can be`() throws {
        let difference = Self.difference([], [try rule("a", minimum: "3")])
        #expect(Self.short(difference.periods.first) == ["all/<3: allow>require"])
        let android = try rule("b", match: RuleMatch(platforms: [.android]), minimum: "3")
        let others = Self.difference([android], [try rule("a", minimum: "3")])
        #expect(Self.short(others.periods.first) == ["not android/<3: allow>require"])
    }

    @Test func `what a date changes is a period of its own`() throws {
        let dated = try rule("a", minimum: "3", schedule: RuleSchedule(enforceFrom: second(9)))
        let periods = Self.difference([], [dated]).periods
        #expect(periods.map(\.from) == [second(0), second(9)])
        #expect(periods.map { Self.short($0) } == [[], ["all/<3: allow>require"]])
    }

    @Test func `a roll-out concerns a share`() throws {
        let steps = [RolloutStep(percent: 30)]
        let periods = Self.difference([], [try rule("a", minimum: "3", rollout: steps)]).periods
        let share = try #require(periods.first?.changes.first?.share)
        #expect((0.15...0.45).contains(share))
    }

    @Test func `clients that do not say who they are are among those compared`() throws {
        let floor = try rule("a", minimum: "3")
        let comparison = RuleSetComparison(
            old: ruleSet([floor]),
            new: ruleSet(
                [floor],
                unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .allow)
            )
        )
        let difference = comparison.difference(at: second(0))
        #expect(Self.short(difference.periods.first) == ["all/missing: allow>require"])
    }

    @Test func `an exemption is named by its request`() throws {
        let floor = try rule("a", minimum: "3")
        let comparison = RuleSetComparison(
            old: ruleSet([floor]),
            new: ruleSet(
                [floor],
                exemptions: [try RequestPattern(path: "/logout/*", methods: ["POST"])]
            )
        )
        let change = try #require(comparison.difference(at: second(0)).periods.first?.changes.first)
        #expect(change.requests == .only(["POST /logout/*"]))
        #expect(change.before.kind == .require)
        #expect(change.after.kind == .allow)
    }

    @Test func `a link and a status are differences, the name of a rule is none`() throws {
        let old = try rule("a", minimum: "3", storeURL: StoreURL("https://a"))
        var new = old
        new.id = "b"
        #expect(Self.difference([old], [new]).isEmpty)
        new.storeURL = StoreURL("https://b")
        #expect(!Self.difference([old], [new]).isEmpty)
        new.storeURL = old.storeURL
        new.answer = AnswerStyle(status: 403)
        let change = try #require(Self.difference([old], [new]).periods.first?.changes.first)
        #expect(change.before.status == 426)
        #expect(change.after.status == 403)
    }

    @Test func `too much to try is a sample, and says so`() throws {
        let rules = try (0..<200).map { number in
            try rule(
                "r\(number)",
                match: RuleMatch(apps: ["app\(number)"], channels: ["c\(number)"]),
                minimum: "\(number + 1)"
            )
        }
        #expect(Self.difference(rules, [], budget: 20_000).isSampled)
    }

    /// What two rule sets decide otherwise about a client that comes by lot is in the report.
    @Test func `no difference is left out`() throws {
        var draw = Draw(random: SeededGenerator(seed: 11))
        var differing = 0
        for _ in 0..<12 {
            func definition() throws -> RuleSetDefinition {
                let rules = try draw.rules(3).map { rule in
                    var rule = rule
                    // A share can be too small for a sample, and fewer dimensions are tried sooner.
                    rule.rollout = []
                    rule.requiresOS = []
                    rule.match.channels = nil
                    rule.match.requests = nil
                    return rule
                }
                return RuleSetDefinition(
                    revision: "r",
                    rules: rules,
                    releases: try draw.releases(2).map { release in
                        var release = release
                        release.channel = nil
                        return release
                    }
                )
            }
            let old = RuleSet(try definition())
            let new = RuleSet(try definition())
            let difference = RuleSetComparison(old: old, new: new, budget: 1_000_000)
                .difference(at: second(0))
            #expect(!difference.isSampled)
            for _ in 0..<100 {
                let client = try draw.identity()
                let now = second(Int64.random(in: 0...20, using: &draw.random))
                let scope = old.scope("GET", "/")
                let before = old.decide(client, in: scope, at: now, address: nil)
                let after = new.decide(client, in: new.scope("GET", "/"), at: now, address: nil)
                guard before.kind != after.kind, !client.isHalfReadable else { continue }
                differing += 1
                let period = try #require(difference.periods.last { $0.from <= now })
                let isNamed = period.changes.contains { change in
                    change.before.kind == before.kind && change.after.kind == after.kind
                        && change.includes(client.platform)
                }
                #expect(isNamed, "\(client) at \(now)")
            }
        }
        #expect(differing > 100)
    }
}

extension ClientIdentity {
    /// Whether it says something unreadably that is only compared as said or not said.
    fileprivate var isHalfReadable: Bool {
        if case .unreadable = self.platform { return true }
        return false
    }
}

extension ComparedChange {
    fileprivate func includes(_ platform: Claim<Platform>) -> Bool {
        let name = platform.value?.name ?? ""
        switch self.platforms {
        case nil: return true
        case .only(let names): return names.contains(name) || names.contains("*")
        case .allBut(let names): return !names.contains(name)
        }
    }
}
