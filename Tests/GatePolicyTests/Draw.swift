import GateTestSupport
import Testing

@testable import GatePolicy

/// Generates random rules, clients and policies, the same in every run.
///
/// All times are within the seconds 0 to 20.
struct Draw {
    var random: SeededGenerator
    /// The generator for countries; drawing them from the first generator would change all later values.
    private var places = SeededGenerator(seed: 3166)

    init(random: SeededGenerator) {
        self.random = random
    }

    mutating func one<Value>(of values: [Value]) throws -> Value {
        try #require(values.randomElement(using: &self.random))
    }

    mutating func rule(_ id: Int) throws -> RuleDefinition {
        var match = RuleMatch.anyone
        match.platforms = try self.one(of: [nil, nil, [.ios], [.android], []])
        match.apps = try self.one(of: [nil, nil, ["a"], ["a", "b"]])
        match.channels = try self.one(of: [nil, nil, ["beta"]])
        let patterns = try ["/a/**", "/a/b", "/*/b"].map {
            try RequestPattern(path: $0, methods: nil)
        }
        match.requests = try self.one(of: [nil, nil, patterns, [patterns[0]], [patterns[2]]])
        let maintenance = try self.maintenance()
        let hold = try self.hold()
        // With more conditions, few clients would match a rule with a hold.
        if hold != nil {
            match.channels = nil
            match.requests = nil
        }
        return try GatePolicyTests.rule(
            "r\(id)",
            match: match,
            minimum: try self.one(of: [nil, "1", "2.0.0", "3.0-rc.1"]),
            minimumBuild: try self.one(of: [nil, nil, 10]),
            // Not random, because another random number would change all later values.
            minimumBuildOf: [nil, "2.0.0", nil, "3.0"][id % 4],
            recommended: try self.one(of: [nil, "2", "4"]),
            recommendsStoreVersion: try self.one(of: [false, false, false, true]),
            blocked: try self.one(of: [[], [], ["1.x"], ["3", ">=2 <2.5"]]),
            prerelease: try self.one(of: PrereleasePolicy.allCases),
            mode: try self.one(of: [.enforce, .enforce, .observe]),
            schedule: try self.schedule(),
            rollout: try self.rollout(),
            maintenance: maintenance,
            holdUntilInStore: hold,
            requiresOS: try self.one(of: [[], [], [">=16"], ["14.x", "17"]])
        )
    }

    private mutating func hold() throws -> StoreHold? {
        guard try self.one(of: [false, true]) else { return nil }
        return StoreHold(
            countries: try self.one(of: [[], ["jp"], ["jp", "kr"]]),
            soak: try self.one(of: [0, 0, 3])
        )
    }

    /// Returns store releases of one app, of any app, or of two apps, in which case clients must name theirs.
    mutating func releases(_ count: Int) throws -> [Release] {
        let apps = try self.one(of: [[nil], [nil, "a"], [nil, "a", "b"]])
        return try (0..<count).map { number in
            var release = try release(
                try self.one(of: ["1", "1.5", "2", "2.4", "3.0-rc.1", "3", "4", "5"]),
                build: try self.one(of: [nil, 9, 10, 12]),
                app: try self.one(of: apps),
                platform: try self.one(of: [.ios, .ios, .android]),
                channel: try self.one(of: [nil, nil, "beta"]),
                at: try self.maybeSecond(),
                storeURL: "https://store.example/\(number)"
            )
            release.countries = try self.one(of: [
                nil, nil, ["jp": nil, "kr": self.second()], ["jp": self.second()], [:],
            ])
            if release.countries != nil {
                release.storeCountries = self.place(of: [nil, ["jp", "kr"], ["jp", "kr", "us"]])
            }
            release.phase = try self.one(of: [
                .complete, .complete, .complete, .phased(completeAt: self.second()), .partial,
            ])
            guard let build = release.builds.first else { return release }
            // Some releases have one build for each CPU architecture, and some sources state only builds.
            release.builds = try self.one(of: [[build], [build], [9, build], [build, 11, 12]])
            release.version = try self.one(of: [release.version, release.version, nil])
            return release
        }
    }

    /// Returns a random value from the separate generator.
    private mutating func place<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self.places)]
    }

    mutating func rules(_ count: Int) throws -> [RuleDefinition] {
        try (0..<count).map { number in
            try self.one(of: [false, false, false, true])
                ? try self.maintainer(number) : try self.rule(number)
        }
    }

    /// Returns rules that announce their floors, with brownouts before them.
    ///
    /// They are generated separately, because drawing more random numbers would change all later values.
    mutating func announcers(_ count: Int) throws -> [RuleDefinition] {
        try (0..<count).map { number in
            var rule = try self.rule(number)
            // With more conditions or a hold, few clients would be in a brownout.
            rule.match = RuleMatch(platforms: try self.one(of: [nil, nil, [.ios]]))
            rule.minimum = try self.one(of: [version("2.0.0"), version("3")])
            rule.holdUntilInStore = try self.one(of: [nil, nil, rule.holdUntilInStore])
            rule.maintenance = nil
            let dates = [self.second(), self.second()].sorted()
            let edges = Set((0..<8).map { _ in self.second() })
                .filter { dates[0] <= $0 && $0 <= dates[1] }.sorted()
            rule.schedule = RuleSchedule(
                warnFrom: dates[0],
                enforceFrom: dates[1],
                until: try self.one(of: [nil, nil, dates[1].advanced(by: 3)]),
                brownouts: stride(from: 0, to: edges.count - 1, by: 2).map {
                    BrownoutWindow(from: edges[$0], until: edges[$0 + 1])
                }
            )
            return rule
        }
    }

    /// Returns a rule with only a route.
    mutating func router(_ id: Int) throws -> RuleDefinition {
        var rule = try self.rule(id)
        rule = RuleDefinition(
            id: "route\(id)",
            match: rule.match,
            prerelease: rule.prerelease,
            mode: rule.mode,
            schedule: try self.one(of: [.always, RuleSchedule(enforceFrom: self.second())]),
            rollout: rule.rollout
        )
        rule.route = Route(
            to: try self.one(of: ["one", "two"]),
            versions: try self.one(of: [[], ["<2"], [">=2 <3.5", "1.x"]]).map {
                try VersionRange(parsing: $0)
            },
            builds: try self.one(of: [[], [], ["<=10"]]).map { try BuildRange(parsing: $0) },
            otherwise: try self.one(of: Route.Fallback.allCases)
        )
        return rule
    }

    /// Returns a rule with only a maintenance window.
    private mutating func maintainer(_ id: Int) throws -> RuleDefinition {
        var rule = try self.rule(id)
        rule.minimum = nil
        rule.minimumBuild = nil
        rule.recommended = nil
        rule.recommendsStoreVersion = false
        rule.blocked = []
        rule.rollout = []
        rule.maintenance = try self.window()
        return rule
    }

    mutating func second() -> Timestamp {
        GatePolicyTests.second(.random(in: 0...20, using: &self.random))
    }

    private mutating func maybeSecond() throws -> Timestamp? {
        try self.one(of: [nil, self.second()])
    }

    private mutating func schedule() throws -> RuleSchedule {
        guard try self.one(of: [true, true, false]) else { return .always }
        return RuleSchedule(
            warnFrom: try self.maybeSecond(),
            enforceFrom: try self.maybeSecond(),
            until: try self.maybeSecond()
        )
    }

    private mutating func rollout() throws -> [RolloutStep] {
        guard try self.one(of: [true, false, false]) else { return [] }
        let dates = [self.second(), self.second(), self.second()].sorted()
        let percents = (0..<4).map { _ in Double.random(in: 0...100, using: &self.random) }.sorted()
        let first = try self.one(of: [[], [RolloutStep(percent: percents[0])]])
        return first + zip(dates, percents.dropFirst()).map { RolloutStep(at: $0, percent: $1) }
    }

    private mutating func window() throws -> MaintenanceWindow {
        let window = MaintenanceWindow(
            from: self.second(),
            until: self.second(),
            announceFrom: try self.maybeSecond()
        )
        // Only a few windows have no end, because a window without an end hides every other
        // decision. This choice uses no random number.
        return window.from == window.until ? .open : window
    }

    private mutating func maintenance() throws -> MaintenanceWindow? {
        try self.one(of: [nil, nil, nil, self.window()])
    }

    mutating func identity() throws -> ClientIdentity {
        var identity = try client(
            app: try self.one(of: [nil, "a", "b", "c"]),
            platform: try self.one(of: [nil, .ios, .android]),
            version: try self.one(of: [nil, "0.9", "1.5", "2.0.0-rc.1", "2.2", "3", "5"]),
            build: try self.one(of: [nil, 9, 10]),
            channel: try self.one(of: [nil, "beta", "store"]),
            osVersion: try self.one(of: [nil, "15", "17"]),
            device: try self.one(of: [nil, "d\(UInt8.random(in: 0...99, using: &self.random))"])
        )
        if try self.one(of: [false, false, true]) { identity.version = .unreadable("x") }
        if try self.one(of: [false, false, true]) { identity.platform = .unreadable("x") }
        let codes = ["jp", "kr", "us", "fr"].map { Claim.stated($0) }
        identity.storefront = self.place(of: [.missing, .missing, .unreadable("x")] + codes)
        identity.country = self.place(of: [.missing, .unreadable("x")] + codes)
        return identity
    }

    mutating func policy() throws -> UnidentifiedPolicy {
        UnidentifiedPolicy(
            missing: try self.one(of: UnidentifiedPolicy.Action.allCases),
            unreadable: try self.one(of: UnidentifiedPolicy.Action.allCases),
            paths: try self.one(of: [[], ["/a/**"], ["/a/b", "/*/b"]]).map { path in
                UnidentifiedPath(
                    request: try RequestPattern(path: path, methods: nil),
                    missing: try self.one(of: [nil] + UnidentifiedPolicy.Action.allCases),
                    unreadable: try self.one(of: [nil] + UnidentifiedPolicy.Action.allCases)
                )
            }
        )
    }
}
