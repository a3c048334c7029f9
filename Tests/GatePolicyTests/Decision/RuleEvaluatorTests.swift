import Testing

@testable import GatePolicy

@Suite struct RuleEvaluatorTests {
    typealias Kind = Decision.Kind
    typealias Reason = Decision.Reason

    static func decide(
        _ rules: [RuleDefinition],
        _ identity: ClientIdentity,
        unidentified: UnidentifiedPolicy = .defaults
    ) -> Decision {
        let rules = ruleSet(rules, unidentified: unidentified)
        return rules.decide(identity, in: rules.scope())
    }

    static let floors: [(String, Kind, Reason)] = [
        ("3.4.9", .require, .belowMinimum),
        ("3.5.0-rc.1", .recommend, .belowRecommended),
        ("3.5.0", .recommend, .belowRecommended),
        ("3.5", .recommend, .belowRecommended),
        ("4.1.99", .recommend, .belowRecommended),
        ("4.2.0-beta", .allow, .passes),
        ("4.2.0", .allow, .passes),
        ("10", .allow, .passes),
    ]

    @Test(arguments: floors)
    func `a version is compared to the floors of a rule`(
        text: String,
        kind: Kind,
        reason: Reason
    ) throws {
        let rule = try rule("ios", minimum: "3.5.0", recommended: "4.2.0")
        let decision = Self.decide([rule], try client(version: text))
        #expect(decision.kind == kind)
        #expect(decision.reason == reason)
        #expect(decision.ruleID == (kind == .allow ? nil : "ios"))
        #expect(decision.ruleIndex == (kind == .allow ? nil : 0))
        #expect(decision.gap == nil)
    }

    static let blocked: [(String, String?)] = [
        ("3.7.1", nil), ("3.7.2", "3.7.2"), ("3.9.0", ">=3.9.0 <3.9.4"),
        ("3.9.3", ">=3.9.0 <3.9.4"), ("3.9.4", nil), ("3.8.7", "3.8.x"),
        ("3.7.2-rc.1", "3.7.2"), ("3.9.4-rc.1", nil), ("4.0-rc.2", "4.0.0-rc.2"), ("4.0", nil),
    ]

    @Test(arguments: blocked)
    func `a blocked version is denied regardless of the minimum`(
        text: String,
        range: String?
    ) throws {
        let rule = try rule(
            "b",
            minimum: "1",
            blocked: ["3.7.2", ">=3.9.0 <3.9.4", "3.8.x", "4.0.0-rc.2"]
        )
        let decision = Self.decide([rule], try client(version: text))
        let expected = try range.map { Reason.blocked(try VersionRange(parsing: $0)) } ?? .passes
        #expect(decision.reason == expected)
        #expect(decision.kind == (range == nil ? .allow : .require))
    }

    static let prereleases: [(PrereleasePolicy, String, String, Kind)] = [
        (.asRelease, "2.0.0", "2.0.0-rc.1", .allow),
        (.strict, "2.0.0", "2.0.0-rc.1", .require),
        (.asRelease, "2.0.0", "1.9.9-rc.1", .require),
        (.strict, "2.0.0", "2.0.1-rc.1", .allow),
        (.asRelease, "2.0.0-rc.2", "2.0.0-rc.1", .require),
        (.asRelease, "2.0.0-rc.2", "2.0.0-rc.2", .allow),
        (.strict, "2.0.0-rc.2", "2.0.0-rc.11", .allow),
    ]

    @Test(arguments: prereleases)
    func `a pre-release of the floor depends on the prerelease policy of the rule`(
        policy: PrereleasePolicy,
        minimum: String,
        version: String,
        kind: Kind
    ) throws {
        let rule = try rule("p", minimum: minimum, prerelease: policy)
        #expect(Self.decide([rule], try client(version: version)).kind == kind)
    }

    static let builds: [(String?, BuildNumber?, Kind, Reason, IdentityGap?)] = [
        ("9", 41_199, .require, .belowMinimumBuild, nil),
        ("9", 41_200, .allow, .passes, nil),
        ("1", 41_200, .require, .belowMinimum, nil),
        ("1", nil, .require, .belowMinimum, nil),
        ("9", nil, .allow, .missing(.build), .missing(.build)),
        (nil, 41_199, .require, .belowMinimumBuild, .missing(.version)),
        (nil, 41_200, .allow, .missing(.version), .missing(.version)),
        (nil, nil, .allow, .missing(.version), .missing(.version)),
    ]

    @Test(arguments: builds)
    func `builds compare as whole numbers, independent of the version`(
        version: String?,
        build: BuildNumber?,
        kind: Kind,
        reason: Reason,
        gap: IdentityGap?
    ) throws {
        let rule = try rule("b", minimum: "2", minimumBuild: 41_200)
        let decision = Self.decide([rule], try client(version: version, build: build))
        #expect(decision.kind == kind)
        #expect(decision.reason == reason)
        // A rule that requires the update does not evaluate missing values.
        #expect(decision.gap == (reason == .belowMinimumBuild ? nil : gap))
    }

    @Test(
        arguments: [
            ("1.9", 500, Kind.require), ("2.0", 41, .require), ("2.0.0", 42, .allow),
            ("2.0-beta.1", 41, .require), ("2.0", nil, .allow), ("2.1", 1, .allow),
            (nil, 1, .allow),
        ] as [(String?, BuildNumber?, Kind)]
    )
    func `a minimum build can apply to one version only`(
        version: String?,
        build: BuildNumber?,
        kind: Kind
    )
        throws
    {
        let rule = try rule("b", minimum: "2", minimumBuild: 42, minimumBuildOf: "2.0")
        #expect(Self.decide([rule], try client(version: version, build: build)).kind == kind)
    }

    @Test func `a client that only sends a build is identified`() throws {
        let reject = UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        let rule = try rule("b", minimumBuild: 5)
        let known = try client(build: 5)
        #expect(Self.decide([rule], known, unidentified: reject).kind == .allow)
        #expect(Self.decide([], try client(), unidentified: reject).kind == .require)
    }

    static let matches: [(RuleMatch, Bool)] = [
        (.anyone, true),
        (RuleMatch(apps: ["com.example.shop"]), true),
        (RuleMatch(apps: ["other", "com.example.shop"]), true),
        (RuleMatch(apps: ["com.example.Shop"]), false),
        (RuleMatch(apps: []), false),
        (RuleMatch(platforms: [Platform("iPadOS")]), true),
        (RuleMatch(platforms: [.android]), false),
        (RuleMatch(platforms: []), false),
        (RuleMatch(channels: ["TestFlight"]), true),
        (RuleMatch(channels: ["fdroid"]), false),
        (RuleMatch(requests: []), false),
        (RuleMatch(apps: ["com.example.shop"], platforms: [.ios], channels: ["testflight"]), true),
        (RuleMatch(apps: ["com.example.shop"], platforms: [.android]), false),
    ]

    @Test(arguments: matches)
    func `a rule applies to clients that match all its conditions`(match: RuleMatch, applies: Bool)
        throws
    {
        let identity = try client(app: "com.example.shop", version: "1", channel: "testflight")
        let decision = Self.decide([try rule("m", match: match, minimum: "2")], identity)
        #expect(decision.kind == (applies ? .require : .allow))
        #expect(decision.reason == (applies ? .belowMinimum : .noRuleApplies))
    }

    @Test(arguments: [
        ("15.8", false), ("16", true), ("17.2", true), ("18.1", false), ("20.3", true),
    ])
    func `a rule can match OS versions`(os: String, applies: Bool) throws {
        let ranges = try [">=16 <18", "20.x"].map { try VersionRange(parsing: $0) }
        let rule = try rule("os", match: RuleMatch(osVersions: ranges), minimum: "2")
        let decision = Self.decide([rule], try client(version: "1", osVersion: os))
        #expect(decision.kind == (applies ? .require : .allow))
    }

    @Test func `the strictest rule wins in any order, and the first of equal ones`() throws {
        let rules = [
            try rule("none", match: RuleMatch(platforms: [.android]), minimum: "99"),
            try rule("recommends", recommended: "5"),
            try rule("passes", minimum: "1"),
            try rule("requires", minimum: "4"),
            try rule("requires too", minimum: "5"),
        ]
        let old = try client(version: "3")
        let decision = Self.decide(rules, old)
        #expect(decision.kind == .require)
        #expect(decision.ruleID == "requires")
        #expect(decision.ruleIndex == 3)
        let backwards = Self.decide(rules.reversed(), old)
        #expect(backwards.kind == .require)
        #expect(backwards.ruleID == "requires too")
    }

    @Test func `an observing rule is only recorded`() throws {
        let rules = [
            try rule("watch", minimum: "5", mode: .observe),
            try rule("hint", recommended: "4"),
            try rule("calm", minimum: "1", mode: .observe),
        ]
        let decision = Self.decide(rules, try client(version: "3"))
        #expect(decision.kind == .recommend)
        #expect(decision.ruleID == "hint")
        #expect(
            decision.observed == [.init(ruleID: "watch", kind: .require, reason: .belowMinimum)]
        )
        #expect(Self.decide([rules[0]], try client(version: "3")).reason == .noRuleApplies)
    }

    @Test func `exempt and preflight requests are not evaluated`() throws {
        let rules = ruleSet(
            [try rule("all", minimum: "9")],
            exemptions: [try RequestPattern(path: "/healthz", methods: nil)],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        let decision = rules.decide(ClientIdentity(), in: rules.scope("GET", "/healthz"))
        #expect(decision == Decision(kind: .allow, reason: .exempt))
        #expect(Decision.preflight == Decision(kind: .allow, reason: .preflight))
    }

    @Test func `a store URL can depend on the channel`() throws {
        let url = StoreURL("https://a.example", channels: ["fdroid": "https://f.example"])
        let rule = try rule("s", minimum: "2", recommended: "3", storeURL: url)
        let plain = Self.decide([rule], try client(version: "1"))
        #expect(plain.upgrade.storeURL == "https://a.example")
        #expect(plain.upgrade.minimum == (try version("2")))
        #expect(plain.upgrade.latest == (try version("3")))
        let fdroid = Self.decide([rule], try client(version: "2.5", channel: "fdroid"))
        #expect(fdroid.kind == .recommend)
        #expect(fdroid.upgrade.storeURL == "https://f.example")
        let other = Self.decide([rule], try client(version: "1", channel: "other"))
        #expect(other.upgrade.storeURL == "https://a.example")
        #expect(Self.decide([rule], try client(version: "4")).upgrade == .none)
    }

    static let countries: [(String?, String?, String, String)] = [
        (nil, nil, "", "default"), (nil, "jp", "", "jp"), (nil, "us", "ja-JP", "default"),
        (nil, nil, "ja-JP", "jp"), (nil, nil, "ja, ko-KR;q=0.9, ja-JP;q=0.5", "kr"),
        (nil, nil, "es-419, ja-JP;q=0.1", "jp"), (nil, nil, "ja-JP;q=0", "default"),
        (nil, nil, "*, ja", "default"), ("fdroid", "jp", "ko-KR", "fdroid"),
        ("other", "jp", "ko-KR", "jp"),
    ]

    @Test(arguments: countries)
    func `a store URL depends on the channel first and on the country second`(
        channel: String?,
        country: String?,
        languages: String,
        link: String
    ) throws {
        let url = StoreURL(
            "default",
            channels: ["fdroid": "fdroid"],
            countries: ["jp": "jp", "kr": "kr"]
        )
        let identity = try client(
            version: "1",
            channel: channel,
            languages: languages,
            country: country
        )
        let decision = Self.decide([try rule("s", minimum: "2", storeURL: url)], identity)
        #expect(decision.upgrade.storeURL == link)
        var unidentified = identity
        unidentified.version = .missing
        let policy = UnidentifiedPolicy(missing: .reject, unreadable: .allow, storeURL: url)
        #expect(Self.decide([], unidentified, unidentified: policy).upgrade.storeURL == link)
    }

    @Test func `with an invalid country, the store URL depends on the languages`() throws {
        var identity = try client(version: "1", languages: "ja-JP")
        identity.country = .unreadable("jpn")
        let url = StoreURL("default", countries: ["jp": "jp"])
        let decision = Self.decide([try rule("s", minimum: "2", storeURL: url)], identity)
        #expect(decision.upgrade.storeURL == "jp")
    }

    @Test func `every reason has a distinct description`() throws {
        let reasons: [Reason] = [
            .exempt, .preflight, .noRuleApplies, .passes, .belowRecommended, .belowMinimum,
            .belowMinimumBuild, .blocked(try VersionRange(parsing: "3.x")), .missing(.version),
            .unreadable(.version),
        ]
        #expect(Set(reasons.map(\.description)).count == reasons.count)
        #expect(reasons[7].description == "the version is blocked by '3.x'")
    }

    @Test func `kinds are ordered by strictness`() {
        #expect(Kind.allCases == [.allow, .recommend, .require, .maintenance])
        #expect(Kind.allCases.sorted() == Kind.allCases)
    }
}
