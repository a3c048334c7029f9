import Testing

@testable import GatePolicy

/// Properties that hold for every rule set, tried on many that are always the same.
@Suite struct StrictnessTests {
    private struct Draw {
        var random: SeededGenerator

        mutating func one<Value>(of values: [Value]) throws -> Value {
            try #require(values.randomElement(using: &self.random))
        }

        mutating func rule(_ id: Int) throws -> RuleDefinition {
            var match = RuleMatch.anyone
            match.platforms = try self.one(of: [nil, [.ios], [.android], []])
            match.apps = try self.one(of: [nil, nil, ["a"], ["a", "b"]])
            match.channels = try self.one(of: [nil, nil, ["beta"]])
            let patterns = try ["/a/**", "/a/b", "/*/b"].map {
                try RequestPattern(path: $0, methods: nil)
            }
            match.requests = try self.one(of: [nil, nil, patterns, [patterns[0]], [patterns[2]]])
            return try GatePolicyTests.rule(
                "r\(id)",
                match: match,
                minimum: try self.one(of: [nil, "1", "2.0.0", "3.0-rc.1"]),
                minimumBuild: try self.one(of: [nil, nil, 10]),
                recommended: try self.one(of: [nil, "2", "4"]),
                blocked: try self.one(of: [[], [], ["1.x"], ["3", ">=2 <2.5"]]),
                prerelease: try self.one(of: PrereleasePolicy.allCases),
                mode: try self.one(of: [.enforce, .enforce, .observe])
            )
        }

        mutating func identity() throws -> ClientIdentity {
            var identity = try client(
                app: try self.one(of: [nil, "a", "b", "c"]),
                platform: try self.one(of: [nil, .ios, .android]),
                version: try self.one(of: [nil, "0.9", "1.5", "2.0.0-rc.1", "2.2", "3", "5"]),
                build: try self.one(of: [nil, 9, 10]),
                channel: try self.one(of: [nil, "beta", "store"])
            )
            if try self.one(of: [false, false, true]) { identity.version = .unreadable("x") }
            if try self.one(of: [false, false, true]) { identity.platform = .unreadable("x") }
            return identity
        }

        mutating func policy() throws -> UnidentifiedPolicy {
            UnidentifiedPolicy(
                missing: try self.one(of: UnidentifiedPolicy.Action.allCases),
                unreadable: try self.one(of: UnidentifiedPolicy.Action.allCases)
            )
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `adding a rule never weakens a decision and order never changes it`(seed: UInt64) throws {
        var draw = Draw(random: SeededGenerator(seed: seed))
        for _ in 0..<40 {
            let policy = try draw.policy()
            let identity = try draw.identity()
            let target = try draw.one(of: ["/", "/a", "/a/b", "/c/b"])
            let rules = try (0..<6).map { try draw.rule($0) }
            func decide(_ rules: some Sequence<RuleDefinition>) -> Decision {
                let rules = ruleSet(Array(rules), unidentified: policy)
                return rules.decide(identity, in: rules.scope("GET", target))
            }
            let decisions = (0...rules.count).map { decide(rules.prefix($0)) }
            for (before, after) in zip(decisions, decisions.dropFirst()) {
                #expect(before.kind <= after.kind)
            }
            for _ in 0..<4 {
                let shuffled = decide(rules.shuffled(using: &draw.random))
                #expect(shuffled.kind == decisions.last?.kind)
                #expect(shuffled.gap == decisions.last?.gap)
            }
        }
    }
}
