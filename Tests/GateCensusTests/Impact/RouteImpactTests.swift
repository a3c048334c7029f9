import GatePolicy
import Testing

@testable import GateCensus

/// The clients that rules send to another backend, and the routes that select none.
@Suite(.ownThread)
struct RouteImpactTests {
    private static func router(
        _ versions: [String] = ["<4"],
        id: String = "old",
        to backend: String = "legacy",
        path: String? = nil,
        mode: RuleMode = .enforce,
        schedule: RuleSchedule = .always,
        rollout: [RolloutStep] = []
    ) throws -> RuleDefinition {
        RuleDefinition(
            id: id,
            match: RuleMatch(
                platforms: [.ios],
                requests: try path.map { [try RequestPattern(path: $0, methods: nil)] }
            ),
            mode: mode,
            schedule: schedule,
            rollout: rollout,
            route: Route(
                to: backend,
                versions: try versions.map { try VersionRange(parsing: $0) },
                otherwise: .refuse
            )
        )
    }

    private static func pair(_ from: String?, _ to: String?) -> Impact.Backends {
        Impact.Backends(from: from, to: to)
    }

    private static func rows(known: RuleSet) throws -> [CensusRow] {
        [
            try ImpactTests.row(.ios("2.9"), devices: 0..<10, known: known),
            try ImpactTests.row(.ios("3.5"), devices: 10..<40, known: known),
            try ImpactTests.row(.ios("4.0"), devices: 40..<100, known: known),
            try ImpactTests.row(nil, anonymous: 7, known: known),
        ]
    }

    private static func impact(
        _ old: RuleSet,
        _ new: RuleSet,
        on rows: [CensusRow]? = nil,
        later: Timestamp? = nil
    ) throws -> Impact {
        let rows = try rows ?? self.rows(known: old)
        return Impact(on: rows, from: old, to: new, at: ImpactTests.now, later: later)
    }

    @Test func `clients of a new route are moved, by backends and version`() throws {
        let old = try ImpactTests.ruleSet()
        let new = try ImpactTests.ruleSet(Self.router())
        let impact = try Self.impact(old, new)
        #expect(impact.moved.amount.requests == 80 && impact.moved.amount.devices == 40)
        #expect(impact.moved.possible.requests == 80)
        #expect(impact.moved.byBackends.mapValues(\.requests) == [Self.pair(nil, "legacy"): 80])
        let versions = impact.moved.byVersion.map { ($0.key.version.version, $0.value.requests) }
        #expect(versions.count == 2)
        #expect(versions.contains { $0 == (.stated("2.9"), 20) })
        #expect(versions.contains { $0 == (.stated("3.5"), 60) })
        #expect(impact.denied.amount.requests == 0 && impact.passed.amount.requests == 0)
        // The way back moves the same clients.
        let back = try Self.impact(new, old)
        #expect(back.moved.byBackends.mapValues(\.requests) == [Self.pair("legacy", nil): 80])
    }

    @Test func `each pair of backends is counted apart`() throws {
        let old = try ImpactTests.ruleSet(Self.router(["<3"]))
        let new = try ImpactTests.ruleSet(Self.router(["<4"], to: "archive"))
        let impact = try Self.impact(old, new)
        #expect(
            impact.moved.byBackends.mapValues(\.requests)
                == [Self.pair("legacy", "archive"): 20, Self.pair(nil, "archive"): 60]
        )
        #expect(try Self.impact(old, old).moved.possible.requests == 0)
    }

    @Test func `clients that are denied before or after are not moved`() throws {
        let old = try ImpactTests.ruleSet(Self.router())
        let new = try ImpactTests.ruleSet(Self.router(), ImpactTests.floor("3"))
        let impact = try Self.impact(old, new)
        #expect(impact.denied.amount.requests == 20 && impact.moved.possible.requests == 0)
        let back = try Self.impact(new, old)
        #expect(back.passed.amount.requests == 20 && back.moved.possible.requests == 0)
    }

    @Test func `an observed route moves none, a canary its share, and a dated route later`() throws
    {
        let old = try ImpactTests.ruleSet()
        let observed = try ImpactTests.ruleSet(Self.router(mode: .observe))
        #expect(try Self.impact(old, observed).moved.possible.requests == 0)
        let canary = try ImpactTests.ruleSet(
            Self.router([], rollout: [RolloutStep(percent: 25)])
        )
        let share = try Self.impact(old, canary).moved.amount
        #expect(share.requests == 50 && (20...30).contains(share.devices))
        let day = ImpactTests.now.advanced(by: 86_400)
        let dated = try ImpactTests.ruleSet(
            Self.router(schedule: RuleSchedule(enforceFrom: day))
        )
        #expect(try Self.impact(old, dated).moved.possible.requests == 0)
        #expect(try Self.impact(old, dated, later: day).moved.amount.requests == 80)
    }

    @Test func `a path that is new to the rules is an upper bound, a known one is exact`() throws {
        let old = try ImpactTests.ruleSet(ImpactTests.floor("1", path: "/v1/**"))
        let matched = CensusPaths(isExempt: false, patterns: ["/v1/**"])
        let rows = [
            try ImpactTests.row(.ios("3.5"), devices: 0..<10, paths: matched, known: old),
            try ImpactTests.row(.ios("3.5"), devices: 0..<30, known: old),
        ]
        let known = try ImpactTests.ruleSet(
            ImpactTests.floor("1", path: "/v1/**"),
            Self.router(path: "/v1/**")
        )
        let exact = try Self.impact(old, known, on: rows)
        #expect(exact.moved.amount.requests == 20 && exact.moved.possible.requests == 20)
        let other = try ImpactTests.ruleSet(
            ImpactTests.floor("1", path: "/v1/**"),
            Self.router(path: "/v2/**")
        )
        let bound = try Self.impact(old, other, on: rows)
        #expect(bound.moved.amount.requests == 0 && bound.moved.possible.requests == 80)
    }

    // MARK: Use

    private static func used(
        _ rules: RuleSet,
        known: RuleSet? = nil,
        paths: CensusPaths = .none
    ) throws -> Set<String> {
        let rows = [
            try ImpactTests.row(.ios("3.5"), devices: 0..<30, paths: paths, known: known ?? rules)
        ]
        return RouteUse(of: rows, by: rules, at: ImpactTests.now).used
    }

    @Test(arguments: [
        (["<4"], true), (["<3"], false), ([">=3.5 <3.6"], true), ([], true), (["3.6.x"], false),
    ])
    func `a route is used if it selects a client`(versions: [String], isUsed: Bool) throws {
        let rules = try ImpactTests.ruleSet(Self.router(versions))
        #expect(try Self.used(rules) == (isUsed ? ["old"] : []))
    }

    @Test func `the second of two routes, a denied one and a planned one are not used`() throws {
        let both = try ImpactTests.ruleSet(Self.router(), Self.router(["<5"], id: "second"))
        #expect(try Self.used(both) == ["old"])
        #expect(try Self.used(ImpactTests.ruleSet(Self.router(), ImpactTests.floor("4"))) == [])
        let planned = RuleSchedule(enforceFrom: ImpactTests.now.advanced(by: 1))
        #expect(try Self.used(ImpactTests.ruleSet(Self.router(schedule: planned))) == [])
        let canary = try Self.router(rollout: [RolloutStep(percent: 1)])
        #expect(try Self.used(ImpactTests.ruleSet(canary)) == ["old"])
    }

    @Test func `a route for a path may be used until its requests are counted apart`() throws {
        let rules = try ImpactTests.ruleSet(Self.router(path: "/v1/**"))
        #expect(try Self.used(rules) == [])
        #expect(try Self.used(rules, known: ImpactTests.ruleSet()) == ["old"])
        let matched = CensusPaths(isExempt: false, patterns: ["/v1/**"])
        #expect(try Self.used(rules, paths: matched) == ["old"])
        // The route of another new path is possible as well, although a request has only one path.
        let two = try ImpactTests.ruleSet(
            Self.router(path: "/v1/**"),
            Self.router(id: "second", path: "/v2/**")
        )
        #expect(try Self.used(two, known: ImpactTests.ruleSet()) == ["old", "second"])
    }
}
