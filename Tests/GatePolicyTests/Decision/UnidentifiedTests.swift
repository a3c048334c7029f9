import Testing

@testable import GatePolicy

@Suite struct UnidentifiedTests {
    typealias Action = UnidentifiedPolicy.Action

    struct Case: CustomTestStringConvertible {
        let name: String
        let identity: ClientIdentity
        let match: RuleMatch
        let minimumBuild: BuildNumber?
        let gap: IdentityGap?

        var testDescription: String { self.name }

        init(
            _ name: String,
            _ identity: ClientIdentity,
            _ match: RuleMatch = .anyone,
            minimumBuild: BuildNumber? = nil,
            gap: IdentityGap?
        ) {
            self.name = name
            self.identity = identity
            self.match = match
            self.minimumBuild = minimumBuild
            self.gap = gap
        }
    }

    static func cases() throws -> [Case] {
        let good = try client(version: "9")
        let old = try client(version: "0.9")
        var newWithoutPlatform = good
        newWithoutPlatform.platform = .missing
        var noPlatform = old
        noPlatform.platform = .missing
        var badPlatform = old
        badPlatform.platform = .unreadable("x")
        var noVersion = good
        noVersion.version = .missing
        var badVersion = good
        badVersion.version = .unreadable("x")
        let ios = RuleMatch(platforms: [.ios])
        let androidApp = RuleMatch(apps: ["a"], platforms: [.android])
        return [
            Case("all values", good, ios, gap: nil),
            Case("no version", noVersion, gap: .missing(.version)),
            Case("invalid version", badVersion, gap: .unreadable(.version)),
            Case("no version, no rule", noVersion, RuleMatch(apps: []), gap: .missing(.version)),
            Case("no platform, not in a condition", newWithoutPlatform, gap: nil),
            Case("no platform", noPlatform, ios, gap: .missing(.platform)),
            Case("invalid platform", badPlatform, ios, gap: .unreadable(.platform)),
            Case("no platform, but above the floor", newWithoutPlatform, ios, gap: nil),
            Case("no app", old, RuleMatch(apps: ["a"]), gap: .missing(.app)),
            Case("no app, but above the floor", good, RuleMatch(apps: ["a"]), gap: nil),
            Case("no app, but another platform", old, androidApp, gap: nil),
            Case("no channel", old, RuleMatch(channels: ["a"]), gap: .missing(.channel)),
            Case("no channel, but above the floor", good, RuleMatch(channels: ["a"]), gap: nil),
            Case("no OS version", old, RuleMatch(osVersions: []), gap: nil),
            Case(
                "no channel and no build",
                good,
                RuleMatch(channels: ["a"]),
                minimumBuild: 5,
                gap: .missing(.channel)
            ),
            Case("no build", good, minimumBuild: 5, gap: .missing(.build)),
        ]
    }

    @Test(arguments: try cases(), Action.allCases)
    func `the policy determines the decision for a gap`(testCase: Case, action: Action) throws {
        let missing: Action
        let unreadable: Action
        // Other gaps have the opposite action, so that a mix-up is noticed.
        let opposite: Action = action == .reject ? .allow : .reject
        if case .unreadable = testCase.gap {
            (missing, unreadable) = (opposite, action)
        } else {
            (missing, unreadable) = (action, opposite)
        }
        let rules = ruleSet(
            [
                try rule(
                    "r",
                    match: testCase.match,
                    minimum: "1",
                    minimumBuild: testCase.minimumBuild
                )
            ],
            unidentified: UnidentifiedPolicy(missing: missing, unreadable: unreadable)
        )
        let decision = rules.decide(testCase.identity, in: rules.scope())
        #expect(decision.gap == testCase.gap)
        let rejects = testCase.gap != nil && action == .reject
        #expect(decision.kind == (rejects ? .require : .allow))
        #expect(decision.ruleID == nil)
        if let gap = testCase.gap { #expect(decision.reason == .init(gap)) }
        let observes = testCase.gap != nil && action == .observe
        #expect(decision.observed.count == (observes ? 1 : 0))
        if observes, let gap = testCase.gap {
            let observed = Decision.Observed(ruleID: nil, kind: .require, reason: .init(gap))
            #expect(decision.observed == [observed])
        }
    }

    @Test func `a rule that requires wins over a gap`() throws {
        let rules = ruleSet(
            [
                try rule("asks", match: RuleMatch(apps: ["a"]), minimum: "4"),
                try rule("requires", minimum: "5"),
            ],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        let decision = rules.decide(try client(version: "3"), in: rules.scope())
        #expect(decision.ruleID == "requires")
        #expect(decision.reason == .belowMinimum)
        #expect(decision.gap == .missing(.app))
    }

    @Test func `a rejection wins over a recommendation and has its own upgrade`() throws {
        let rules = ruleSet(
            [
                try rule("asks", match: RuleMatch(apps: ["a"]), minimum: "4"),
                try rule("hints", recommended: "5", storeURL: StoreURL("https://rule.example")),
            ],
            unidentified: UnidentifiedPolicy(
                missing: .reject,
                unreadable: .allow,
                notice: "who",
                storeURL: StoreURL("https://policy.example")
            )
        )
        let decision = rules.decide(try client(version: "3"), in: rules.scope())
        #expect(decision.kind == .require)
        #expect(decision.ruleID == nil)
        #expect(decision.upgrade == UpgradeTerms(storeURL: "https://policy.example", notice: "who"))
    }

    @Test func `of the policies for several gaps, the strictest applies`() throws {
        var identity = try client(platform: nil)
        identity.app = .unreadable("a, b")
        let rules = ruleSet(
            [try rule("r", match: RuleMatch(apps: ["a"], platforms: [.ios]), minimum: "1")],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .observe)
        )
        let decision = rules.decide(identity, in: rules.scope())
        #expect(decision.kind == .require)
        #expect(decision.reason == .missing(.version))
        #expect(
            decision.observed == [.init(ruleID: nil, kind: .require, reason: .unreadable(.app))]
        )
    }

    @Test func `the gap of a rule that only recommends rejects no client`() throws {
        let rules = ruleSet(
            [try rule("hints", match: RuleMatch(channels: ["testflight"]), recommended: "5")],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        let decision = rules.decide(try client(version: "3"), in: rules.scope())
        #expect(decision.kind == .allow)
        #expect(decision.gap == nil)
    }

    @Test(arguments: [["3", "5"], ["5", "3"], [nil, "5"], ["5", nil]])
    func `the order of rules does not change the effect of a gap`(minimums: [String?]) throws {
        let platforms: [Platform] = [.ios, .android]
        let rules = ruleSet(
            try zip(minimums, platforms).map { minimum, platform in
                try rule(
                    platform.name,
                    match: RuleMatch(platforms: [platform]),
                    minimum: minimum,
                    recommended: minimum == nil ? "9" : nil
                )
            },
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        for (version, gap) in [("4", IdentityGap.missing(.platform)), ("5", nil)] {
            var identity = try client(version: version)
            identity.platform = .missing
            #expect(rules.decide(identity, in: rules.scope()).gap == gap)
        }
    }

    @Test func `the gap of a rule for maintenance rejects every client`() throws {
        let rules = ruleSet(
            [
                try rule(
                    "closed",
                    match: RuleMatch(apps: ["a"]),
                    maintenance: MaintenanceWindow(from: nil, until: nil)
                )
            ],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        let decision = rules.decide(try client(version: "3"), in: rules.scope())
        #expect(decision.reason == .missing(.app))
    }

    @Test func `the gap of an observing rule rejects no client`() throws {
        let rules = ruleSet(
            [try rule("watch", match: RuleMatch(apps: ["a"]), minimum: "4", mode: .observe)],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        let decision = rules.decide(try client(version: "3"), in: rules.scope())
        #expect(decision.kind == .allow)
        #expect(decision.gap == nil)
        #expect(
            decision.observed == [.init(ruleID: "watch", kind: .require, reason: .missing(.app))]
        )
    }

    static let paths: [(String, String, Action, Action)] = [
        ("GET", "/", .observe, .allow),
        ("GET", "/v2/payments/1", .reject, .allow),
        ("GET", "/V2//payments;a/%31", .reject, .allow),
        ("POST", "/v2/payments/1", .reject, .reject),
        ("POST", "/login", .observe, .reject),
        ("GET", "/login", .observe, .allow),
        ("GET", "/open", .observe, .allow),
    ]

    @Test(arguments: paths)
    func `the strictest of several path policies applies`(
        method: String,
        target: String,
        missing: Action,
        unreadable: Action
    ) throws {
        let paths = [
            UnidentifiedPath(
                request: try RequestPattern(path: "/v2/**", methods: nil),
                missing: .allow
            ),
            UnidentifiedPath(
                request: try RequestPattern(path: "/v2/payments/*", methods: nil),
                missing: .reject
            ),
            UnidentifiedPath(
                request: try RequestPattern(path: nil, methods: ["POST"]),
                unreadable: .reject
            ),
            UnidentifiedPath(
                request: try RequestPattern(path: "/open", methods: nil),
                missing: .allow,
                unreadable: .allow
            ),
        ]
        var unreadableClient = try client()
        unreadableClient.version = .unreadable("x")
        for paths in [paths, paths.reversed()] {
            let rules = ruleSet(
                unidentified: UnidentifiedPolicy(
                    missing: .observe,
                    unreadable: .allow,
                    paths: paths
                )
            )
            let scope = rules.scope(method, target)
            for (identity, action) in [(try client(), missing), (unreadableClient, unreadable)] {
                let decision = rules.decide(identity, in: scope)
                #expect(decision.kind == (action == .reject ? .require : .allow))
                #expect(decision.observed.count == (action == .observe ? 1 : 0))
            }
        }
    }

    @Test func `an exempt path has no gaps`() throws {
        let request = try RequestPattern(path: "/a", methods: nil)
        let rules = ruleSet(
            exemptions: [request],
            unidentified: UnidentifiedPolicy(
                missing: .allow,
                unreadable: .allow,
                paths: [UnidentifiedPath(request: request, missing: .reject)]
            )
        )
        #expect(rules.decide(try client(), in: rules.scope("GET", "/a")).kind == .allow)
        #expect(rules.decide(try client(), in: rules.scope("GET", "/A")).kind == .require)
    }
}
