import GatePolicy
import Testing

@testable import GateCensus

/// The predicted impact of a change, compared with the decisions for the same clients.
@Suite(.ownThread)
struct ImpactTests {
    static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    static func ruleSet(
        _ rules: RuleDefinition...,
        missing: UnidentifiedPolicy.Action = .allow,
        exempt: [String] = []
    ) throws -> RuleSet {
        var unidentified = UnidentifiedPolicy.defaults
        unidentified.missing = missing
        return RuleSet(
            RuleSetDefinition(
                revision: "\(rules.count)",
                unidentified: unidentified,
                exemptions: try exempt.map { try RequestPattern(path: $0, methods: nil) },
                rules: rules
            )
        )
    }

    static func floor(
        _ minimum: String,
        id: String = "floor",
        path: String? = nil,
        rollout: [RolloutStep] = []
    ) throws -> RuleDefinition {
        var rule = RuleDefinition(
            id: id,
            match: RuleMatch(
                platforms: [.ios],
                requests: try path.map { [try RequestPattern(path: $0, methods: nil)] }
            ),
            minimum: try AppVersion(parsing: minimum)
        )
        rule.rollout = rollout
        return rule
    }

    /// Returns a cell with a number of devices that have two requests each.
    static func row(
        _ client: CensusClient?,
        devices: Range<Int> = 0..<0,
        anonymous: UInt64 = 0,
        paths: CensusPaths = .none,
        known: RuleSet
    ) throws -> CensusRow {
        let hash = try #require(SipHash(key: Array(repeating: 3, count: 16)))
        var figures = CensusFigures(
            requests: UInt64(devices.count) * 2 + anonymous,
            identified: UInt64(devices.count) * 2
        )
        for device in devices { figures.devices.add(hash.hash(Array("\(device)".utf8).span)) }
        let outcome = CensusOutcome(paths: paths, kind: .allow, rule: "none")
        return CensusRow(
            cell: CensusCell(client: client, outcome: outcome),
            known: known.censusPaths,
            figures: figures
        )
    }

    @Test func `clients below a raised floor are newly denied, by rule and version`() throws {
        let (old, new) = (try Self.ruleSet(Self.floor("2")), try Self.ruleSet(Self.floor("3")))
        let rows = [
            try Self.row(.ios("1.9"), devices: 0..<10, known: old),
            try Self.row(.ios("2.5"), devices: 10..<40, known: old),
            try Self.row(.ios("3.0"), devices: 40..<100, known: old),
            try Self.row(nil, anonymous: 7, known: old),
        ]
        let impact = Impact(on: rows, from: old, to: new, at: Self.now)
        #expect(impact.total.requests == 200 && impact.unknownRequests == 7)
        #expect(impact.denied.amount.requests == 60)
        #expect(impact.denied.amount.devices == 30)
        #expect(impact.denied.possible.requests == 60)
        #expect(impact.denied.byRule.mapValues(\.requests) == ["floor": 60])
        #expect(impact.denied.byVersion.map(\.key.version) == [.stated("2.5")])
        #expect(impact.passed.amount.requests == 0)
        // Reverting the change allows the same clients.
        let back = Impact(on: rows, from: new, to: old, at: Self.now)
        #expect(back.passed.amount.requests == 60 && back.denied.amount.requests == 0)
    }

    @Test func `a rollout affects its share`() throws {
        let old = try Self.ruleSet()
        let new = try Self.ruleSet(Self.floor("3", rollout: [RolloutStep(percent: 5)]))
        let rows = [try Self.row(.ios("2.5"), devices: 0..<1_000, known: old)]
        let impact = Impact(on: rows, from: old, to: new, at: Self.now)
        #expect(abs(impact.denied.amount.requests - 100) < 0.01)
        #expect(abs(impact.denied.amount.devices - 50) < 2)
    }

    @Test func `clients without a version are predicted by the unidentified policy`() throws {
        let old = try Self.ruleSet()
        let new = try Self.ruleSet(missing: .reject)
        let silent = CensusClient(platform: .stated("ios"))
        let rows = [
            try Self.row(silent, anonymous: 5, known: old),
            try Self.row(.ios("2.5"), anonymous: 5, known: old),
        ]
        let impact = Impact(on: rows, from: old, to: new, at: Self.now)
        #expect(impact.denied.amount.requests == 5)
        #expect(impact.denied.byRule.mapValues(\.requests) == [nil: 5])
        #expect(!impact.denied.amount.countsByDevices)
    }

    @Test func `a path in the previous rules is exact, and a new one an upper bound`() throws {
        let known = try Self.ruleSet(Self.floor("1", path: "/pay/**"))
        let rows = [
            try Self.row(
                .ios("2.5"),
                devices: 0..<10,
                paths: CensusPaths(isExempt: false, patterns: ["/pay/**"]),
                known: known
            ),
            try Self.row(.ios("2.5"), devices: 0..<30, known: known),
        ]
        let same = try Self.ruleSet(Self.floor("3", path: "/pay/**"))
        let exact = Impact(on: rows, from: known, to: same, at: Self.now)
        #expect(exact.denied.amount.requests == 20 && exact.denied.possible.requests == 20)
        let other = try Self.ruleSet(
            Self.floor("1", path: "/pay/**"),
            Self.floor("3", id: "new", path: "/v3/**")
        )
        let bound = Impact(on: rows, from: known, to: other, at: Self.now)
        #expect(bound.denied.amount.requests == 0 && bound.denied.possible.requests == 80)
    }

    @Test func `kept, added and removed exemptions are predicted`() throws {
        let old = try Self.ruleSet(Self.floor("2"), exempt: ["/healthz"])
        let exempt = CensusPaths(isExempt: true, patterns: [])
        let rows = [
            try Self.row(.ios("1.0"), anonymous: 3, paths: exempt, known: old),
            try Self.row(.ios("1.0"), anonymous: 10, known: old),
        ]
        let stays = try Self.ruleSet(Self.floor("2"), exempt: ["/healthz", "/logout"])
        let more = Impact(on: rows, from: old, to: stays, at: Self.now)
        #expect(more.denied.possible.requests == 0)
        #expect(more.passed.amount.requests == 0 && more.passed.possible.requests == 10)
        let gone = Impact(on: rows, from: old, to: try Self.ruleSet(Self.floor("2")), at: Self.now)
        #expect(gone.denied.amount.requests == 3)
    }

    @Test func `a future date is predicted at its time`() throws {
        let old = try Self.ruleSet()
        var floor = try Self.floor("3")
        floor.schedule.enforceFrom = Self.now.advanced(by: 86_400)
        let new = try Self.ruleSet(floor)
        let rows = [try Self.row(.ios("2.5"), devices: 0..<10, known: old)]
        #expect(Impact(on: rows, from: old, to: new, at: Self.now).denied.amount.requests == 0)
        let day = Self.now.advanced(by: 86_400)
        let later = Impact(on: rows, from: old, to: new, at: Self.now, later: day)
        #expect(later.denied.amount.requests == 20)
    }

    @Test func `audiences are limited to names in the rules`() throws {
        let old = try Self.ruleSet()
        let new = try Self.ruleSet(Self.floor("3"))
        let invented = CensusClient(
            app: .stated("made.up"),
            platform: .stated("ios"),
            version: .stated("1.0")
        )
        let rows = [
            try Self.row(.ios("2.5"), devices: 0..<10, known: old),
            try Self.row(invented, devices: 0..<10, known: old),
            try Self.row(
                CensusClient(platform: .stated("beos"), version: .stated("1.0")),
                anonymous: 3,
                known: old
            ),
        ]
        let impact = Impact(on: rows, from: old, to: new, at: Self.now)
        let parts = impact.parts.mapValues { ($0.total.requests, $0.denied.amount.requests) }
        #expect(
            Set(parts.keys) == [
                .init(app: "other", platform: "ios"), .init(app: "other", platform: "other"),
            ]
        )
        #expect(try #require(parts[.init(app: "other", platform: "ios")]) == (40, 40))
        #expect(try #require(parts[.init(app: "other", platform: "other")]) == (3, 0))
    }

    /// Returns a cell with the paths of its requests, insofar as they were observed.
    private static func row(
        of requests: UInt64,
        covered: UInt64,
        _ counts: [String: UInt64],
        shapeless: UInt64 = 0,
        known: RuleSet
    ) throws -> CensusRow {
        var shapes: [PathShape: UInt64] = [:]
        for (text, count) in counts { shapes[try #require(PathShape(text: text))] = count }
        var row = try Self.row(.ios("2.5"), anonymous: requests, known: known)
        row.figures.shapes = ShapeCounts(covered: covered, counts: shapes, shapeless: shapeless)
        return row
    }

    @Test func `a path that is new in the rules is predicted from path shapes`() throws {
        let old = try Self.ruleSet(Self.floor("1", path: "/pay/**"))
        let new = try Self.ruleSet(
            Self.floor("1", path: "/pay/**"),
            Self.floor("3", id: "new", path: "/video/**")
        )
        func denied(_ row: CensusRow, by other: RuleSet? = nil) -> (least: Double, most: Double) {
            let impact = Impact(on: [row], from: old, to: other ?? new, at: Self.now)
            let denied = impact.denied
            // The sums are rounded, because shares make them fractional.
            return (
                (denied.amount.requests * 1e6).rounded() / 1e6,
                (denied.possible.requests * 1e6).rounded() / 1e6
            )
        }
        let seen: [String: UInt64] = ["GET /video/*": 30, "GET /home": 70]
        #expect(try denied(Self.row(of: 100, covered: 100, seen, known: old)) == (30, 30))
        // If only some of the requests were observed because the log was full, the rest are assumed to be alike.
        #expect(try denied(Self.row(of: 1_000, covered: 1_000, seen, known: old)) == (300, 300))
        // Requests from before an update of the gate have unknown paths.
        #expect(try denied(Self.row(of: 200, covered: 100, seen, known: old)) == (30, 130))
        let unknown = try Self.row(of: 120, covered: 120, seen, shapeless: 20, known: old)
        #expect(denied(unknown) == (30, 50))
        // A rule for one of the paths that a shape stands for.
        let one = try Self.ruleSet(
            Self.floor("1", path: "/pay/**"),
            Self.floor("3", id: "new", path: "/video/17")
        )
        let row = try Self.row(of: 100, covered: 100, seen, known: old)
        #expect(denied(row, by: one) == (0, 30))
    }

    @Test func `an added or removed exemption is predicted from path shapes`() throws {
        let floor = try Self.floor("3")
        let plain = try Self.ruleSet(floor)
        let exempt = try Self.ruleSet(floor, exempt: ["/health"])
        let seen: [String: UInt64] = ["GET /health": 10, "GET /home": 90]
        let row = try Self.row(of: 100, covered: 100, seen, known: plain)
        let comes = Impact(on: [row], from: plain, to: exempt, at: Self.now)
        #expect(comes.passed.amount.requests == 10 && comes.passed.possible.requests == 10)
        let goes = Impact(on: [row], from: exempt, to: plain, at: Self.now)
        #expect(goes.denied.amount.requests == 10 && goes.denied.possible.requests == 10)
    }
}
