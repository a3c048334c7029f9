import Testing

@testable import GatePolicy

/// Changes that only concern the backend.
struct RouteComparisonTests {
    private static func router(
        _ versions: [String] = ["<4"],
        id: String = "old",
        to backend: String = "legacy",
        otherwise: Route.Fallback = .refuse,
        platforms: [Platform]? = [.ios],
        path: String? = nil,
        mode: RuleMode = .enforce,
        schedule: RuleSchedule = .always,
        rollout: [RolloutStep] = []
    ) throws -> RuleDefinition {
        var match = RuleMatch(platforms: platforms)
        match.requests = try path.map { [try RequestPattern(path: $0, methods: nil)] }
        let route = Route(
            to: backend,
            versions: try versions.map { try VersionRange(parsing: $0) },
            otherwise: otherwise
        )
        return RuleDefinition(
            id: id,
            match: match,
            mode: mode,
            schedule: schedule,
            rollout: rollout,
            route: route
        )
    }

    /// Returns the changes in short form, such as `ios/<4: default>legacy`.
    private static func short(_ period: ComparedPeriod?) -> [String] {
        period?.changes.map { change in
            let platforms =
                if case .only(let names) = change.platforms { names.joined(separator: "+") } else {
                    "all"
                }
            func name(_ outcome: ComparedOutcome) -> String {
                guard outcome.kind < .require else { return "\(outcome.kind)" }
                guard let route = outcome.route else { return "default" }
                return route.fallback == .refuse ? route.backend : "\(route.backend)?"
            }
            let names = "\(name(change.before))>\(name(change.after))"
            return "\(platforms)/\(change.versions): \(names)"
        } ?? []
    }

    private static func changes(
        _ old: [RuleDefinition],
        _ new: [RuleDefinition]
    ) -> [[String]] {
        RuleSetComparisonTests.difference(old, new).periods.map { Self.short($0) }
    }

    @Test func `a new route moves its clients`() throws {
        #expect(Self.changes([], [try Self.router()]) == [["ios/<4: default>legacy"]])
        #expect(Self.changes([try Self.router()], []) == [["ios/<4: legacy>default"]])
    }

    @Test func `a wider range moves only the clients that it adds`() throws {
        let (old, new) = (try Self.router(["<3"]), try Self.router(["<4"]))
        #expect(Self.changes([old], [new]) == [["ios/>=3 <4: default>legacy"]])
        let other = try Self.router(["<4"], to: "archive")
        #expect(Self.changes([new], [other]) == [["ios/<4: legacy>archive"]])
    }

    @Test func `the order of routes matters, that of equal routes does not`() throws {
        let one = try Self.router(["<3"], id: "a", to: "one")
        let two = try Self.router(["<4"], id: "b", to: "two")
        #expect(Self.changes([one, two], [two, one]) == [["ios/<3: one>two"]])
        let same = try Self.router(["<3"], id: "a", to: "two")
        #expect(RuleSetComparisonTests.difference([same, two], [two, same]).isEmpty)
    }

    @Test func `another fallback is a change`() throws {
        let (old, new) = (try Self.router(), try Self.router(otherwise: .default))
        #expect(Self.changes([old], [new]) == [["ios/<4: legacy>legacy?"]])
    }

    @Test func `a route with a date has its own period, and an observed one has none`() throws {
        let dated = try Self.router(schedule: RuleSchedule(enforceFrom: second(9)))
        #expect(Self.changes([], [dated]) == [[], ["ios/<4: default>legacy"]])
        let observed = try Self.router(mode: .observe)
        #expect(RuleSetComparisonTests.difference([], [observed]).isEmpty)
    }

    @Test func `a denied client is not moved`() throws {
        let floor = try rule("floor", minimum: "3")
        let changes = Self.changes([floor], [floor, try Self.router()])
        #expect(changes == [["ios/>=3 <4: default>legacy"]])
        let replaced = Self.changes([try Self.router()], [try rule("old", minimum: "4")])
        #expect(replaced[0].contains("ios/<4: legacy>require"))
    }

    @Test func `a canary moves a share of the devices`() throws {
        let canary = try Self.router([], rollout: [RolloutStep(percent: 30)])
        let difference = RuleSetComparisonTests.difference([], [canary])
        let shares = difference.periods.first?.changes.map(\.share) ?? []
        #expect(!shares.isEmpty && shares.allSatisfy { (0.29...0.31).contains($0) })
    }

    @Test func `a route for a path is reported with its request`() throws {
        let difference = RuleSetComparisonTests.difference([], [try Self.router(path: "/v1/*")])
        let change = try #require(difference.periods.first?.changes.first)
        #expect(change.requests == .only(["/v1/*"]))
        #expect(Self.short(difference.periods.first) == ["ios/<4: default>legacy"])
    }

    @Test func `a route is neither stricter nor laxer`() throws {
        func openings(_ old: [RuleDefinition], _ new: [RuleDefinition]) -> [String] {
            RuleSetTransition(from: ruleSet(old), to: ruleSet(new), at: second(10)).openings
                .map(\.versions)
        }
        let floor = try rule("floor", minimum: "2")
        let routes = [
            [], [try Self.router(["<3"])], [try Self.router(["<4"], to: "other")],
        ]
        for (before, after) in routes.flatMap({ old in routes.map { (old, $0) } }) {
            #expect(openings([floor] + before, after + [floor]) == [])
        }
        // A planned floor of a route that is not changed denies nobody yet.
        var planned = try Self.router(["<3"])
        planned.next = [
            try rule("old", minimum: "3", schedule: RuleSchedule(enforceFrom: second(5)))
        ]
        planned.next[0].match = planned.match
        var moved = planned
        moved.route?.backend = "other"
        #expect(openings([planned], [moved]) == [])
        // Without the floor, the clients that it denied pass.
        moved.next = []
        #expect(openings([planned], [moved]) == ["<3"])
    }
}
