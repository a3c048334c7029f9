import Testing

@testable import GatePolicy

@Suite struct AppPatternTests {
    static let matches: [(String, String, Bool)] = [
        ("com.example.shop", "com.example.shop", true),
        ("com.example.shop", "com.example.Shop", false),
        ("com.example.shop", "com.example.shop.beta", false),
        ("com.example.*", "com.example.shop", true),
        ("com.example.*", "com.example.shop.beta", true),
        ("com.example.*", "com.example.", false),
        ("com.example.*", "com.example", false),
        ("com.example.*", "com.examples.shop", false),
        ("com.example.*", "Com.example.shop", false),
        ("com.*", "com.example.shop", true),
        ("com.*", "net.example.shop", false),
    ]

    @Test(arguments: matches)
    func `a pattern matches identifiers with its prefix`(
        pattern: String,
        app: String,
        isMatch: Bool
    ) throws {
        #expect(try AppPattern(parsing: pattern).matches(app) == isMatch)
    }

    @Test(arguments: ["*", "*.example", "com.*.shop", "com.example*", ".*", "com.**", "com.*.*"])
    func `a star anywhere but after the last dot is rejected`(text: String) {
        #expect(throws: AppPattern.Failure.misplacedStar) { try AppPattern(parsing: text) }
    }

    static let coverage: [(String, String, Bool)] = [
        ("com.example.*", "com.example.shop", true), ("com.*", "com.example.*", true),
        ("com.example.*", "com.*", false), ("com.example.shop", "com.example.*", false),
        ("com.example.*", "com.example.*", true), ("a.b", "a.b", true), ("a.b", "a.c", false),
    ]

    @Test(arguments: coverage)
    func `a pattern covers the patterns within it`(
        one: String,
        other: String,
        isCovered: Bool
    ) throws {
        let (one, other) = (try AppPattern(parsing: one), try AppPattern(parsing: other))
        #expect(one.covers(other) == isCovered)
        #expect(one.meets(other) == (one.covers(other) || other.covers(one)))
        #expect(one.matches(one.example))
    }

    @Test func `a rule for a pattern applies to all its apps, regardless of other rules`() throws {
        let rules = ruleSet([
            try rule(
                "family",
                match: RuleMatch(apps: ["com.example.*"]),
                minimum: "2.0",
                storeURL: StoreURL("https://a.example")
            ),
            try rule(
                "shop",
                match: RuleMatch(apps: ["com.example.shop"]),
                minimum: "3.0",
                storeURL: StoreURL("https://a.example")
            ),
            try rule(
                "beta",
                match: RuleMatch(apps: ["com.example.beta.*"]),
                minimum: "4.0",
                storeURL: StoreURL("https://a.example")
            ),
        ])
        func kind(_ app: String, _ version: String) throws -> Decision.Kind {
            rules.decide(
                try client(app: app, version: version),
                in: .unrestricted,
                at: Timestamp(secondsSinceEpoch: 0),
                address: nil
            ).kind
        }
        #expect(try kind("com.example.wallet", "1.9") == .require)
        #expect(try kind("com.example.wallet", "2.0") == .allow)
        #expect(try kind("com.example.shop", "2.9") == .require)
        #expect(try kind("com.example.shop", "3.0") == .allow)
        #expect(try kind("com.example.beta.one", "3.9") == .require)
        #expect(try kind("com.examples", "0.1") == .allow)
        // Clients in one class get the same decision, so clients of the three patterns must be in different classes.
        let classes = try #require(rules.clientClasses)
        func key(_ app: String) -> [UInt8]? {
            var key: [UInt8] = []
            var told = ClientClasses.Told()
            let lines = [("x-app-id", app), ("x-app-version", "2.5")]
            for (name, value) in lines {
                guard let index = rules.identityHeaderNames.firstIndex(of: name),
                    classes.tell(header: index, value.utf8Span.span, to: &key, &told)
                else { return nil }
            }
            return key
        }
        let keys = ["com.example.a", "com.example.shop", "com.example.beta.x", "net.other"].map(key)
        #expect(!keys.contains(nil) && Set(keys).count == 4)
        #expect(key("com.example.a") == key("com.example.b"))
        #expect(key("com.example.beta.x") == key("com.example.beta.y"))
    }
}
