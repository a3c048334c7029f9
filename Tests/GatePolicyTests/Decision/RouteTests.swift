import GateTestSupport
import Testing

@testable import GatePolicy

/// Routes to named backends.
@Suite(.ownThread) struct RouteTests {
    private static func router(
        _ id: String = "legacy-3",
        match: RuleMatch = .anyone,
        to backend: String = "legacy",
        versions: [String] = ["<4.0.0"],
        builds: [String] = [],
        prerelease: PrereleasePolicy = .asRelease,
        mode: RuleMode = .enforce,
        schedule: RuleSchedule = .always,
        rollout: [RolloutStep] = []
    ) throws -> RuleDefinition {
        RuleDefinition(
            id: id,
            match: match,
            prerelease: prerelease,
            mode: mode,
            schedule: schedule,
            rollout: rollout,
            route: Route(
                to: backend,
                versions: try versions.map { try VersionRange(parsing: $0) },
                builds: try builds.map { try BuildRange(parsing: $0) },
                otherwise: .refuse
            )
        )
    }

    private func decide(
        _ rules: [RuleDefinition],
        _ client: ClientIdentity,
        _ target: String = "/",
        at now: Timestamp = second(0)
    ) -> Decision {
        let rules = ruleSet(rules)
        return rules.decide(client, in: rules.scope("GET", target), at: now, address: nil)
    }

    @Test(arguments: [
        ("3.9.9", "legacy"), ("4.0.0", nil), ("4.0.0-rc.1", nil), ("0.1", "legacy"), (nil, nil),
    ])
    func `a range of versions`(version: String?, backend: String?) throws {
        let decision = self.decide([try Self.router()], try client(version: version))
        #expect(decision.route?.backend == backend)
        #expect(decision.route?.ruleID == backend.map { _ in "legacy-3" })
        #expect(decision.kind == .allow)
    }

    @Test
    func `strict pre-releases precede their release`() throws {
        let rule = try Self.router(prerelease: .strict)
        #expect(self.decide([rule], try client(version: "4.0.0-rc.1")).route != nil)
    }

    @Test(
        arguments: [
            (410, "3.0", "legacy"), (411, "3.0", nil), (nil, "3.0", nil), (410, "4.0.0", nil),
        ] as [(BuildNumber?, String, String?)]
    )
    func `ranges of builds and versions both apply`(
        build: BuildNumber?,
        version: String,
        backend: String?
    ) throws {
        let rule = try Self.router(builds: ["<=410"])
        let decision = self.decide([rule], try client(version: version, build: build))
        #expect(decision.route?.backend == backend)
    }

    @Test
    func `without ranges, every client of the rule is routed`() throws {
        let rule = try Self.router(match: RuleMatch(platforms: [.ios]), versions: [])
        #expect(self.decide([rule], try client(version: nil)).route != nil)
        #expect(self.decide([rule], try client(platform: .android, version: "1")).route == nil)
        #expect(self.decide([rule], try client(platform: nil, version: "1")).route == nil)
    }

    @Test
    func `a denied request has no route, wherever its rule is`() throws {
        let floor = try rule("floor", minimum: "3.0.0")
        for rules in [[floor, try Self.router()], [try Self.router(), floor]] {
            let denied = self.decide(rules, try client(version: "2.0"))
            #expect(denied.kind == .require)
            #expect(denied.route == nil)
            #expect(self.decide(rules, try client(version: "3.0")).route?.backend == "legacy")
        }
    }

    @Test
    func `the first route applies`() throws {
        let rules = [
            try Self.router("a", to: "first", versions: ["<3"]), try Self.router("b", to: "second"),
        ]
        #expect(self.decide(rules, try client(version: "2")).route?.backend == "first")
        #expect(self.decide(rules, try client(version: "3")).route?.backend == "second")
    }

    @Test
    func `an observing route is counted, and the next one applies`() throws {
        let rules = [
            try Self.router("a", to: "first", mode: .observe), try Self.router("b", to: "second"),
        ]
        let decision = self.decide(rules, try client(version: "2"))
        #expect(decision.observedRoutes.map(\.backend) == ["first"])
        #expect(decision.route?.backend == "second")
    }

    @Test
    func `with global observe mode, all requests go to the default backend`() throws {
        var definition = RuleSetDefinition(revision: "r", rules: [try Self.router()])
        definition.mode = .observe
        let rules = RuleSet(definition)
        let decision = rules.decide(
            try client(version: "2"),
            in: rules.scope("GET", "/"),
            at: second(0),
            address: nil
        )
        #expect(decision.route == nil)
        #expect(decision.observedRoutes.map(\.ruleID) == ["legacy-3"])
    }

    @Test
    func `a schedule limits the time`() throws {
        let schedule = RuleSchedule(enforceFrom: second(5), until: second(9))
        let rules = [try Self.router(schedule: schedule)]
        let client = try client(version: "2")
        for (now, isRouted, next) in [(4, false, 5), (5, true, 9), (8, true, 9), (9, false, nil)]
            as [(Int64, Bool, Int64?)]
        {
            let decision = self.decide(rules, client, at: second(now))
            #expect((decision.route != nil) == isRouted, "\(now)")
            #expect(decision.validUntil == next.map { second($0) }, "\(now)")
        }
    }

    @Test
    func `a share of the devices is routed, always the same`() throws {
        let canary = try Self.router(
            to: "canary",
            versions: [],
            rollout: [RolloutStep(at: nil, percent: 5)]
        )
        let rules = ruleSet([canary])
        func isRouted(_ device: Int, _ rules: RuleSet) throws -> Bool {
            let client = try client(version: "4.0", device: "device-\(device)")
            let scope = rules.scope("GET", "/")
            return rules.decide(client, in: scope, at: second(0), address: nil).route != nil
        }
        let first = try (0..<4000).filter { try isRouted($0, rules) }
        #expect((140...260).contains(first.count))
        let again = ruleSet([canary])
        #expect(try (0..<4000).filter { try isRouted($0, again) } == first)
    }

    @Test
    func `exempt requests and preflights have no route`() throws {
        let rules = ruleSet(
            [try Self.router(versions: [])],
            exemptions: [try RequestPattern(path: "/health", methods: nil)]
        )
        let client = try client(version: "2")
        func route(_ target: String) -> Decision.Destination? {
            rules.decide(client, in: rules.scope("GET", target), at: second(0), address: nil).route
        }
        #expect(route("/health") == nil)
        #expect(route("/other") != nil)
        #expect(Decision.preflight.route == nil)
    }

    @Test(arguments: UInt64(1)...20)
    func `routes never change a decision, and never apply to a denied request`(
        seed: UInt64
    ) throws {
        var draw = Draw(random: SeededGenerator(seed: seed))
        for _ in 0..<60 {
            let policy = try draw.policy()
            let identity = try draw.identity()
            let target = try draw.one(of: ["/", "/a", "/a/b", "/c/b"])
            let rules = try draw.rules(5)
            let releases = try draw.releases(4)
            let now = draw.second()
            let address = try draw.one(of: [nil, "192.0.2.1", "192.0.2.2"])
            func decide(_ rules: [RuleDefinition]) -> Decision {
                let rules = ruleSet(rules, unidentified: policy, releases: releases)
                let scope = rules.scope("GET", target)
                return rules.decide(identity, in: scope, at: now, address: address)
            }
            var mixed = rules
            for number in 0..<3 {
                let place = try draw.one(of: Array(0...mixed.count))
                mixed.insert(try draw.router(number), at: place)
            }
            let plain = decide(rules)
            var routed = decide(mixed)
            if plain.kind >= .require { #expect(routed.route == nil) }
            let order = mixed.filter { $0.route != nil }.map(\.id)
            #expect(routed.route.map { order.contains($0.ruleID) } ?? true)
            // The index of the deciding rule differs because there are more rules.
            routed.route = nil
            routed.observedRoutes = []
            routed.validUntil = plain.validUntil
            routed.ruleIndex = plain.ruleIndex
            #expect(routed == plain)
        }
    }
}
