import GateTestSupport
import Testing

@testable import GatePolicy

@Suite struct RuleIndexTests {
    /// Compiled rules and their index.
    private struct Indexed {
        let rules: [CompiledRule]
        let index: RuleIndex
        private let ruleSet: RuleSet

        init(_ rules: [RuleDefinition]) {
            self.ruleSet = GatePolicyTests.ruleSet(rules)
            self.rules = self.ruleSet.judge.rules
            self.index = RuleIndex(self.rules)
        }

        func scope(_ path: String) -> RequestScope { self.ruleSet.scope("GET", path) }
    }

    @Test(arguments: UInt64(1)...40)
    func `every rule that may match a client is found once and in order`(seed: UInt64) throws {
        var draw = Draw(random: SeededGenerator(seed: seed))
        let indexed = Indexed(try draw.rules(12))
        for _ in 0..<50 {
            let client = try draw.identity()
            let path = try draw.one(of: ["/", "/a", "/a/b", "/c/b", "/a%2Fb"])
            let everything = RequestScope(isExempt: false, patterns: .everything)
            for scope in [indexed.scope(path), everything] {
                let found = indexed.index.candidates(for: client, in: scope)
                let subject = CompiledRule.Subject(client, address: nil)
                let concerned = indexed.rules.indices.filter {
                    indexed.rules[$0].gaps(of: subject, in: scope) != nil
                }
                let answers = Set(found.map { indexed.rules[$0].gaps(of: subject, in: scope) })
                for index in concerned where !found.contains(index) {
                    // A matching rule is left out only if its match is uncertain and another rule has the same gaps;
                    // the test of the evaluator covers their floors.
                    let gaps = indexed.rules[index].gaps(of: subject, in: scope)
                    #expect(
                        gaps?.isEmpty == false && answers.contains(gaps),
                        "\(client) at \(path)"
                    )
                }
                #expect(found == Set(found).sorted())
            }
        }
    }

    @Test func `only rules that share a value with the client are evaluated`() throws {
        let general = try rule("general", minimum: "1")
        let ofApps = try (0..<1000).map { number in
            try rule(
                "a\(number)",
                match: RuleMatch(
                    apps: [AppPattern(stringLiteral: "app\(number)")],
                    platforms: [.ios]
                )
            )
        }
        let ofPaths = try (0..<1000).map { number in
            let pattern = try RequestPattern(path: "/v\(number)/**", methods: nil)
            return try rule("p\(number)", match: RuleMatch(platforms: [.ios], requests: [pattern]))
        }
        let ofAndroid = try rule("android", match: RuleMatch(platforms: [.android]))
        let nobody = try rule("nobody", match: RuleMatch(apps: []))
        let indexed = Indexed(ofApps + [general] + ofPaths + [ofAndroid, nobody])
        func found(_ client: ClientIdentity, _ path: String) -> [String] {
            indexed.index.candidates(for: client, in: indexed.scope(path))
                .map { indexed.rules[$0].definition.id }
        }
        #expect(found(try client(app: "app7"), "/v9/x") == ["a7", "general", "p9"])
        #expect(found(try client(app: "other"), "/x") == ["general"])
        let android = try client(app: "b", platform: .android)
        #expect(found(android, "/v9") == ["general", "p9", "android"])
        // A client without an app may match any of these rules, and all of them have the same gaps.
        #expect(found(try client(), "/x") == ["a0", "general"])
    }

    @Test func `rules with different gaps for a client without an app are all evaluated`() throws {
        let date = try Timestamp(parsing: "2026-12-01T00:00:00Z")
        let another = try AppVersion(parsing: "7")
        func ofApp(_ id: String, _ change: (inout RuleDefinition) -> Void) throws -> RuleDefinition
        {
            var rule = try rule(
                id,
                match: RuleMatch(apps: [AppPattern(stringLiteral: id)]),
                minimum: "2"
            )
            change(&rule)
            return rule
        }
        let indexed = Indexed([
            try ofApp("first") { _ in },
            try ofApp("same") { $0.recommended = another },
            try ofApp("higher") { $0.minimum = another },
            try ofApp("ios") { $0.match.platforms = [.ios] },
            try ofApp("timed") { $0.schedule.enforceFrom = date },
            try ofApp("observed") { $0.mode = .observe },
            try ofApp("held") { $0.holdUntilInStore = StoreHold() },
        ])
        let found = indexed.index.candidates(for: try client(), in: indexed.scope("/"))
        #expect(
            found.map { indexed.rules[$0].definition.id }
                == ["first", "higher", "ios", "timed", "observed", "held"]
        )
    }
}
