import Testing

@testable import GatePolicy

struct RequestTermsTests {
    private static func ruleSet(mode: RuleMode = .enforce) throws -> RuleSet {
        RuleSet(
            RuleSetDefinition(
                revision: "1",
                unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .allow),
                rules: [
                    RuleDefinition(
                        id: "shop-floor",
                        match: RuleMatch(apps: ["shop"], platforms: [.ios]),
                        minimum: try AppVersion(parsing: "2"),
                        mode: mode
                    ),
                    RuleDefinition(
                        id: "next",
                        minimum: try AppVersion(parsing: "3"),
                        mode: .observe
                    ),
                ]
            )
        )
    }

    private static func terms(
        _ app: String?,
        _ platform: String?,
        _ version: String?,
        mode: RuleMode = .enforce
    ) throws -> RequestTerms {
        let ruleSet = try Self.ruleSet(mode: mode)
        var claims = ruleSet.noClaims
        for (name, value) in [
            ("x-app-id", app), ("x-app-platform", platform), ("x-app-version", version),
        ] {
            if let value { claims.addHeader(name, value) }
        }
        let identity = ruleSet.identify(claims)
        let decision = ruleSet.decide(
            identity,
            in: .unrestricted,
            at: Timestamp(secondsSinceEpoch: 0),
            address: nil
        )
        return ruleSet.terms(of: decision, for: identity)
    }

    @Test(arguments: [
        ("shop", "ios", "shop", "ios"), ("shop", "iPhone", "shop", "ios"),
        ("Shop", "ios", "other", "ios"), ("made-up", "made-up", "other", "other"),
        ("shop", "android", "shop", "other"),
    ])
    func `only apps and platforms that the rules contain are labels`(
        app: String,
        platform: String,
        namedApp: String,
        namedPlatform: String
    ) throws {
        let terms = try Self.terms(app, platform, "4")
        #expect(terms.app == namedApp)
        #expect(terms.platform == namedPlatform)
        #expect(terms.kind == .allow)
        #expect(terms.rule == "none")
        #expect(terms.observed.isEmpty)
        #expect(!terms.passesByObserving)
    }

    @Test func `a client without app and platform has the label other`() throws {
        let terms = try Self.terms(nil, nil, "1")
        #expect(terms.app == "other")
        #expect(terms.platform == "other")
        #expect(terms.gap == .missing(.app))
    }

    @Test func `the terms contain the deciding rule and the observing rules`() throws {
        let denied = try Self.terms("shop", "ios", "1")
        #expect(denied.kind == .require)
        #expect(denied.rule == "shop-floor")
        #expect(denied.observed == ["next"])
        #expect(!denied.passesByObserving)
        let observed = try Self.terms("shop", "ios", "1", mode: .observe)
        #expect(observed.kind == .allow)
        #expect(observed.rule == "none")
        #expect(observed.observed == ["next", "shop-floor"])
        #expect(observed.passesByObserving)
    }

    @Test func `a rejection of unidentified clients has its own rule label`() throws {
        let terms = try Self.terms("shop", "ios", nil)
        #expect(terms.kind == .require)
        #expect(terms.rule == "unidentified")
        #expect(terms.gap == .missing(.version))
    }
}
