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

    /// Returns the changes in short form, such as `ios/>=3 <4: allow>require`.
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

    @Test func `equal rules in any order are no difference`() throws {
        let rules = [
            try rule("a", match: RuleMatch(platforms: [.ios]), minimum: "3"),
            try rule("b", minimum: "2", schedule: RuleSchedule(enforceFrom: second(9))),
        ]
        let difference = Self.difference(rules, rules.reversed())
        #expect(difference.isEmpty)
        #expect(!difference.isSampled)
    }

    @Test func `a raised floor is one range of versions`() throws {
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

    @Test func `the affected clients are described as briefly as possible`() throws {
        let difference = Self.difference([], [try rule("a", minimum: "3")])
        #expect(Self.short(difference.periods.first) == ["all/<3: allow>require"])
        let android = try rule("b", match: RuleMatch(platforms: [.android]), minimum: "3")
        let others = Self.difference([android], [try rule("a", minimum: "3")])
        #expect(Self.short(others.periods.first) == ["not android/<3: allow>require"])
    }

    @Test func `a scheduled change has its own period`() throws {
        let dated = try rule("a", minimum: "3", schedule: RuleSchedule(enforceFrom: second(9)))
        let periods = Self.difference([], [dated]).periods
        #expect(periods.map(\.from) == [second(0), second(9)])
        #expect(periods.map { Self.short($0) } == [[], ["all/<3: allow>require"]])
    }

    @Test func `each brownout has its own period`() throws {
        var schedule = RuleSchedule(warnFrom: second(-9), enforceFrom: second(50))
        let plain = try rule("a", minimum: "3", schedule: schedule)
        schedule.brownouts = [
            BrownoutWindow(from: second(10), until: second(20)),
            BrownoutWindow(from: second(30), until: second(40)),
        ]
        let brownedOut = try rule("a", minimum: "3", schedule: schedule)
        let periods = Self.difference([plain], [brownedOut]).periods
        #expect(periods.map(\.from) == [0, 10, 20, 30, 40].map { second($0) })
        let change = ["all/<3: recommend>require"]
        #expect(periods.map { Self.short($0) } == [[], change, [], change, []])
        #expect(periods[1].changes.map(\.after.isBrownout) == [true])
        schedule.enforceFrom = second(5)
        schedule.brownouts = []
        let sooner = try rule("a", minimum: "3", schedule: schedule)
        let others = Self.difference([sooner], [brownedOut]).periods
        #expect(others.map(\.from) == [0, 5, 10, 20, 30, 40, 50].map { second($0) })
        #expect(Self.short(others[2]) == ["all/<3: require>require"])
    }

    @Test func `a rollout changes decisions for a share of devices`() throws {
        let steps = [RolloutStep(percent: 30)]
        let periods = Self.difference([], [try rule("a", minimum: "3", rollout: steps)]).periods
        let share = try #require(periods.first?.changes.first?.share)
        #expect((0.15...0.45).contains(share))
    }

    @Test func `unidentified clients are compared`() throws {
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

    @Test func `an exemption is reported with its request`() throws {
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

    @Test func `a store URL and a status are differences, a rule ID is not`() throws {
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

    /// Rules for different apps, channels and paths.
    static func manyRules(_ count: Int) throws -> [RuleDefinition] {
        try (0..<count).map { number in
            try rule(
                "r\(number)",
                match: RuleMatch(
                    apps: [try AppPattern(parsing: "app\(number)")],
                    channels: ["c\(number)"],
                    requests: [try RequestPattern(path: "/\(number)/**", methods: nil)]
                ),
                minimum: "\(number + 1)"
            )
        }
    }

    @Test func `a comparison that is too large is a sample over all rules, and reported as one`()
        throws
    {
        let rules = try Self.manyRules(60)
        let difference = Self.difference(rules, rules + [try rule("all", minimum: "100")])
        #expect(difference.isSampled)
        let changes = try #require(difference.periods.first?.changes)
        let apps = changes.flatMap { change -> [String] in
            guard case .only(let names) = change.apps else { return [] }
            return names
        }
        #expect(
            Set(apps).isSuperset(
                of: rules.flatMap { $0.match.apps ?? [] }.map(\.description) + ["*"]
            )
        )
    }

    @Test func `a change among many rules is found without sampling`() throws {
        let rules = try Self.manyRules(1_000)
        var changed = rules
        changed[700].minimum = try version("2000")
        changed.remove(at: 3)
        let difference = Self.difference(rules, changed)
        #expect(!difference.isSampled)
        let changes = try #require(difference.periods.first?.changes)
        #expect(changes.map(\.apps) == [.only(["app3"]), .only(["app700"])])
        #expect(changes.map(\.requests) == [.only(["/3/**"]), .only(["/700/**"])])
        #expect(changes.map(\.versions) == ["<4", ">=701 <2000"])
    }

    @Test func `a request that matches two patterns is compared`() throws {
        let below = RuleMatch(requests: [try RequestPattern(path: "/a/**", methods: nil)])
        let floor = try rule("a", match: below, minimum: "3")
        let comparison = RuleSetComparison(
            old: ruleSet([floor]),
            new: ruleSet([floor], exemptions: [try RequestPattern(path: "/*/B", methods: ["GET"])])
        )
        let changes = comparison.difference(at: second(0)).periods.first?.changes
        #expect(changes?.map(\.requests) == [.only(["GET /a/B"])])
    }

    @Test func `an exempt method does not hide other methods`() throws {
        let there = RuleMatch(requests: [try RequestPattern(path: "/x", methods: nil)])
        let exemptions = [try RequestPattern(path: "/x", methods: ["GET"])]
        let comparison = RuleSetComparison(
            old: ruleSet([], exemptions: exemptions),
            new: ruleSet([try rule("a", match: there, minimum: "3")], exemptions: exemptions)
        )
        let changes = comparison.difference(at: second(0)).periods.first?.changes
        #expect(changes?.map(\.requests) == [.only(["/x"])])
    }

    @Test func `a changed path is reported, including the root`() throws {
        let root = RuleMatch(requests: [try RequestPattern(path: "/", methods: nil)])
        let changes = Self.difference([], [try rule("a", match: root, minimum: "3")])
            .periods.first?.changes
        #expect(changes?.map(\.requests) == [.only(["/"])])
    }

    @Test func `stores with and without the release are compared separately`() throws {
        let rules = [
            try rule(
                "a",
                match: RuleMatch(platforms: [.ios]),
                minimum: "4",
                holdUntilInStore: StoreHold()
            )
        ]
        func whole(_ countries: [String: Timestamp?]) throws -> RuleSet {
            let asked = ["jp", "kr", "us"]
            return ruleSet(
                rules,
                releases: [try release("4", countries: countries, storeCountries: asked)]
            )
        }
        let old = try whole(["jp": nil])
        let difference = RuleSetComparison(old: old, new: try whole(["jp": nil, "kr": second(9)]))
            .difference(at: second(0))
        #expect(!difference.isSampled)
        #expect(difference.periods.map(\.from) == [second(0), second(9)])
        #expect(difference.periods.map { Self.short($0) } == [[], ["ios/<4: allow>require"]])
        #expect(difference.periods.last?.changes.map(\.storefronts) == [.only(["kr"])])
        let everywhere = try whole(["jp": nil, "kr": nil, "us": nil])
        let all = RuleSetComparison(old: old, new: everywhere).difference(at: second(0))
        #expect(all.periods.first?.changes.map(\.storefronts) == [.allBut(["jp"])])
        let sampled = RuleSetComparison(old: old, new: everywhere, budget: 1)
            .difference(at: second(0))
        #expect(sampled.isSampled)
        #expect(sampled.periods.first?.changes.map(\.storefronts) == [.allBut(["jp"])])
    }

    @Test func `a store URL for a country is compared`() throws {
        func floor(_ link: String) throws -> RuleDefinition {
            let links = StoreURL("https://a", countries: ["jp": link])
            return try rule("a", minimum: "3", storeURL: links)
        }
        let changes = Self.difference([try floor("https://b")], [try floor("https://c")])
            .periods.first?.changes
        #expect(changes?.map(\.countries) == [.only(["jp"])])
    }

    @Test(arguments: [0.1, 1, 12.5, 99.9])
    func `a rollout step affects exactly the added share`(percent: Double) throws {
        func floor(_ percent: Double) throws -> RuleDefinition {
            try rule("a", minimum: "3", rollout: [RolloutStep(percent: percent)])
        }
        let changes = Self.difference([try floor(0)], [try floor(percent)]).periods.first?.changes
        #expect(changes?.map { ($0.share * 1_000).rounded() } == [(percent * 10).rounded()])
    }

    @Test func `more rollouts than there are sample devices result in a sample`() throws {
        let steps = (1...9).map { RolloutStep(percent: Double($0) * 10) }
        let rules = try (0..<40).map { try rule("r\($0)", minimum: "3", rollout: steps) }
        let difference = Self.difference([], rules)
        #expect(difference.isSampled)
        #expect(!difference.isEmpty)
    }

    @Test func `clients that another rule already rejects are not reported`() throws {
        let ios = try rule("a", match: RuleMatch(platforms: [.ios]), minimum: "3")
        let android = try rule("b", match: RuleMatch(platforms: [.android]), minimum: "3")
        let policy = UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        let comparison = RuleSetComparison(
            old: ruleSet([ios], unidentified: policy),
            new: ruleSet([ios, android], unidentified: policy)
        )
        let changes = comparison.difference(at: second(0)).periods.first?.changes
        #expect(changes?.map(\.platforms) == Array(repeating: .only(["android"]), count: 3))
        // Previously, a client with a build could have an invalid version.
        #expect(changes?.map(\.versions) == ["<3", "missing", "unreadable"])
        #expect(changes?.map(\.builds) == [nil, .only([">=0"]), .only([">=0"])])
    }
}
