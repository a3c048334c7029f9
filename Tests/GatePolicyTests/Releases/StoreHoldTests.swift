import Testing

@testable import GatePolicy

/// The decisions about clients when a floor is raised before the stores have the release.
@Suite struct StoreHoldTests {
    struct Story: CustomTestStringConvertible {
        let testDescription: String
        let rule: RuleDefinition
        let releases: [Release]
        let client: ClientIdentity
        /// The first second at which the client is denied; `nil` if it is never denied.
        let blockedFrom: Int64?

        init(
            _ name: String,
            _ rule: RuleDefinition,
            _ releases: [Release],
            _ client: ClientIdentity,
            _ blockedFrom: Int64?
        ) {
            self.testDescription = name
            self.rule = rule
            self.releases = releases
            self.client = client
            self.blockedFrom = blockedFrom
        }
    }

    static func stories() throws -> [Story] {
        let hold = StoreHold(countries: ["jp", "kr", "us"], soak: 20)
        let anywhere = StoreHold()
        let floor = try rule("floor", minimum: "4", holdUntilInStore: hold)
        let builds = try rule("floor", minimumBuild: 400, holdUntilInStore: anywhere)
        let blocking = try rule("floor", blocked: ["3.9.x"], holdUntilInStore: anywhere)
        let strict = try rule(
            "floor",
            minimum: "4",
            prerelease: .strict,
            holdUntilInStore: anywhere
        )
        let old = try client(version: "3", build: 300)
        let android = try client(platform: .android, version: "3")
        let one: [String: Timestamp?] = ["jp": nil]
        let all: [String: Timestamp?] = ["jp": nil, "kr": second(30), "us": second(40)]
        let everywhere = try release("4", at: second(10), countries: all)
        return [
            Story("no release in the store", floor, [], old, nil),
            Story("only older releases in the store", floor, [try release("3.9")], old, nil),
            Story("one country of three", floor, [try release("4", countries: one)], old, nil),
            Story("all countries, after the soak time", floor, [everywhere], old, 60),
            Story("a newer release counts", floor, [try release("5", at: second(10))], old, 30),
            Story(
                "the first of several",
                floor,
                [everywhere, try release("4.1", at: second(15))],
                old,
                35
            ),
            Story(
                "phased",
                floor,
                [try release("4", at: second(5), phase: .phased(completeAt: second(50)))],
                old,
                70
            ),
            Story("halted", floor, [try release("4", phase: .partial)], old, nil),
            Story("in the store already", floor, [try release("4")], old, -5),
            Story(
                "ios is first",
                floor,
                [
                    try release("4", at: second(1)),
                    try release("4", platform: .android, at: second(50)),
                ],
                old,
                21
            ),
            Story(
                "android is last",
                floor,
                [
                    try release("4", at: second(1)),
                    try release("4", platform: .android, at: second(50)),
                ],
                android,
                70
            ),
            Story("a version without a build", builds, [try release("4")], old, nil),
            Story(
                "one of two releases has a build",
                builds,
                [try release("4"), try release("4", build: 400, at: second(9))],
                old,
                9
            ),
            Story(
                "only an older release has a build",
                builds,
                [try release("5"), try release("4", build: 400, at: second(9))],
                old,
                9
            ),
            Story("too low a build", builds, [try release("4", build: 399)], old, nil),
            Story(
                "one of several builds is too low",
                builds,
                [try release("4", builds: [399, 1_400, 2_400])],
                old,
                nil
            ),
            Story(
                "each of several builds is high enough",
                builds,
                [try release("4", builds: [400, 1_400, 2_400], at: second(7))],
                old,
                7
            ),
            Story(
                "two facts of one version",
                builds,
                [try release("4", build: 1_400), try release("4", build: 399)],
                old,
                nil
            ),
            Story(
                "the later of two facts of one version",
                builds,
                [try release("4", build: 1_400), try release("4", build: 400, at: second(6))],
                old,
                6
            ),
            Story(
                "two tracks with the same build",
                builds,
                [try release("4", build: 400), try release("4", build: 400, phase: .partial)],
                old,
                nil
            ),
            Story("only builds", builds, [try release(nil, build: 400, at: second(4))], old, 4),
            Story(
                "builds alone do not satisfy a version",
                floor,
                [try release(nil, build: 400)],
                old,
                nil
            ),
            Story(
                "only builds, in addition to a version",
                floor,
                [try release(nil, build: 400), try release("4", build: 300, at: second(30))],
                old,
                50
            ),
            Story(
                "only blocked releases are newer",
                blocking,
                [try release("3.8"), try release("3.9.2", at: second(3))],
                try client(version: "3.9.1"),
                nil
            ),
            Story(
                "an allowed release is newer",
                blocking,
                [try release("3.8"), try release("3.9.2"), try release("3.10", at: second(8))],
                try client(version: "3.9.1"),
                8
            ),
            Story(
                "a pre-release counts as the release",
                try rule(
                    "floor",
                    minimum: "4",
                    holdUntilInStore: anywhere
                ),
                [try release("4-rc.1")],
                old,
                -5
            ),
            Story("a pre-release does not count", strict, [try release("4-rc.1")], old, nil),
        ] + (try self.storefronts())
    }

    /// Cases with a release that is in two of three countries.
    private static func storefronts() throws -> [Story] {
        let all = try rule("floor", minimum: "4", holdUntilInStore: StoreHold(soak: 20))
        let some = try rule(
            "floor",
            minimum: "4",
            holdUntilInStore: StoreHold(countries: ["jp", "kr"], soak: 20)
        )
        let known: [String: Timestamp?] = ["jp": second(10), "kr": second(30)]
        let asked = try release("4", countries: known, storeCountries: ["jp", "kr", "us"])
        let unasked = try release("4", countries: known)
        let newer = try release("5", countries: ["us": second(2)], storeCountries: ["jp", "us"])
        func from(_ storefront: String?, country: String? = nil) throws -> ClientIdentity {
            try client(version: "3", languages: "ja-JP", country: country, storefront: storefront)
        }
        var unreadable = try from(nil, country: "jp")
        unreadable.storefront = .unreadable("jp, kr")
        return [
            Story("a store with the release", all, [asked], try from("jp"), 30),
            Story("a store with a later release date", all, [asked], try from("kr"), 50),
            Story("a store without the release", all, [asked], try from("us"), nil),
            Story("another release counts", all, [asked, newer], try from("us"), 22),
            Story("no storefront", all, [asked], try from(nil), nil),
            Story("a storefront that is not counted", all, [asked], try from("fr"), nil),
            Story("two storefronts", all, [asked], unreadable, nil),
            Story("the country of the address", all, [asked], try from(nil, country: "jp"), 30),
            Story(
                "the storefront instead of the address",
                all,
                [asked],
                try from("kr", country: "jp"),
                50
            ),
            Story("a country that is counted", some, [asked], try from("jp"), 30),
            Story("a country that is not counted", some, [asked], try from("us"), 50),
            Story("no country, two are counted", some, [asked], try from(nil), 50),
            Story("no list of counted countries", all, [unasked], try from(nil), 50),
            Story("one of the countries with the release", all, [unasked], try from("jp"), 30),
        ]
    }

    @Test(arguments: try stories(), RuleMode.allCases)
    func `a client is not denied before its store has the update`(
        story: Story,
        mode: RuleMode
    ) throws {
        var rule = story.rule
        rule.mode = mode
        let rules = ruleSet([rule], releases: story.releases)
        for now in Int64(-5)...100 {
            let decision = rules.decide(story.client, at: second(now))
            let isBlocked = story.blockedFrom.map { now >= $0 } ?? false
            switch mode {
            case .enforce: #expect(decision.kind == (isBlocked ? .require : .allow), "\(now)")
            case .observe: #expect(decision.observed.isEmpty == !isBlocked, "\(now)")
            }
            let held = Decision.Held(ruleID: "floor", until: story.blockedFrom.map { second($0) })
            #expect(decision.held == (isBlocked ? [] : [held]), "\(now)")
            #expect(decision.upgrade.latest == nil)
            if let edge = story.blockedFrom, now < edge {
                #expect(decision.validUntil.map { $0 <= second(edge) } ?? false, "\(now)")
            }
        }
    }

    @Test func `a client above the floor is not affected by a hold`() throws {
        let hold = try rule("h", minimum: "4", holdUntilInStore: StoreHold())
        #expect(ruleSet([hold]).decide(try client(version: "4"), at: second(0)).held.isEmpty)
        let others = try rule(
            "h",
            match: RuleMatch(platforms: [.android]),
            minimum: "4",
            holdUntilInStore: StoreHold()
        )
        #expect(ruleSet([others]).decide(try client(version: "3"), at: second(0)).held.isEmpty)
        let later = try rule(
            "h",
            minimum: "4",
            schedule: RuleSchedule(enforceFrom: second(5), until: second(9)),
            holdUntilInStore: StoreHold()
        )
        for now in Int64(0)..<12 {
            let decision = ruleSet([later]).decide(try client(version: "3"), at: second(now))
            #expect(decision.held.isEmpty == !(5..<9).contains(now))
        }
    }

    @Test func `a client is not warned before its store has the update`() throws {
        let rules = ruleSet(
            [
                try rule(
                    "h",
                    minimum: "4",
                    schedule: RuleSchedule(warnFrom: second(10), enforceFrom: second(50)),
                    holdUntilInStore: StoreHold()
                )
            ],
            releases: [try release("4", at: second(30))]
        )
        let old = try client(version: "3")
        for now in Int64(0)..<60 {
            let decision = rules.decide(old, at: second(now))
            let expected: Decision.Kind = now < 30 ? .allow : now < 50 ? .recommend : .require
            #expect(decision.kind == expected)
            #expect(decision.warning?.enforcedFrom == (expected == .recommend ? second(50) : nil))
        }
    }

    @Test func `a held rule has no gaps`() throws {
        let reject = UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        let rule = try rule(
            "h",
            match: RuleMatch(apps: ["a", "b"], platforms: [.ios]),
            minimum: "4",
            holdUntilInStore: StoreHold()
        )
        let rules = ruleSet(
            [rule],
            unidentified: reject,
            releases: [
                try release("4", app: "a", at: second(10)),
                try release("4", app: "b", at: second(20)),
            ]
        )
        // A client that names no app may be one whose store has the release.
        for identity in [
            try client(version: "3"), try client(app: "a", platform: nil, version: "3"),
        ] {
            #expect(rules.decide(identity, at: second(9)).gap == nil)
            let decision = rules.decide(identity, at: second(10))
            #expect(decision.kind == .require)
            #expect(decision.gap != nil)
        }
    }

    @Test func `maintenance is not held`() throws {
        let rules = ruleSet([
            try rule(
                "h",
                minimum: "4",
                maintenance: MaintenanceWindow(from: second(0), until: second(9)),
                holdUntilInStore: StoreHold()
            )
        ])
        let decision = rules.decide(try client(version: "3"), at: second(0))
        #expect(decision.kind == .maintenance)
        #expect(decision.held.isEmpty)
    }
}
