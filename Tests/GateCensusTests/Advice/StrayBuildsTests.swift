import GatePolicy
import Testing

@testable import GateCensus

/// Stray builds, tested with mixes in which they are known.
@Suite(.ownThread)
struct StrayBuildsTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    /// A build, the number of its devices, and the number of requests from each.
    struct Mixed: CustomStringConvertible {
        var version: String
        var build: String?
        var devices: Int
        var times: UInt64 = 10
        var errors: UInt64 = 0
        var namesDevices = true
        var isWatched = true

        init(
            _ version: String,
            _ build: String? = nil,
            devices: Int,
            times: UInt64 = 10,
            errors: UInt64 = 0,
            namesDevices: Bool = true,
            isWatched: Bool = true
        ) {
            self.version = version
            self.build = build
            self.devices = devices
            self.times = times
            self.errors = errors
            self.namesDevices = namesDevices
            self.isWatched = isWatched
        }

        var description: String { "\(self.version): \(self.errors) of \(self.devices)" }

        func figures(from start: Int) throws -> CensusFigures {
            let hash = try #require(SipHash(key: Array(repeating: 5, count: 16)))
            let requests = UInt64(self.devices) * self.times
            var figures = CensusFigures(
                requests: requests,
                identified: self.namesDevices ? requests : 0,
                watched: self.isWatched ? requests : 0,
                serverErrors: self.errors
            )
            guard self.namesDevices else { return figures }
            for device in start..<start + self.devices {
                figures.devices.add(hash.hash(Array("\(device)".utf8).span))
            }
            return figures
        }
    }

    private static func strays(
        _ mix: [Mixed],
        minimum: String? = nil
    ) throws -> [StrayBuilds.Stray] {
        var start = 0
        let rows = try mix.map { mixed in
            defer { start += mixed.devices }
            let client = CensusClient(
                platform: .stated("ios"),
                version: .stated(mixed.version),
                build: mixed.build.map { .stated($0) } ?? .missing
            )
            return CensusRow(
                cell: CensusCell(client: client, outcome: .passes),
                known: [],
                figures: try mixed.figures(from: start)
            )
        }
        let rule = try minimum.map {
            RuleDefinition(
                id: "floor",
                match: RuleMatch(platforms: [.ios]),
                minimum: try AppVersion(parsing: $0)
            )
        }
        let ruleSet = RuleSet(RuleSetDefinition(revision: "1", rules: rule.map { [$0] } ?? []))
        return StrayBuilds.among(rows, by: ruleSet, at: Self.now)
    }

    private static let asking = [
        Mixed("3.8", devices: 200, times: 10), Mixed("3.9", devices: 300, times: 12),
        Mixed("3.9.2", devices: 100, times: 90), Mixed("3.10", devices: 400, times: 11),
        Mixed("4.0", "7", devices: 60, times: 10), Mixed("4.0", "8", devices: 60, times: 9),
        Mixed("4.0", "9", devices: 70, times: 80),
    ]

    @Test func `a build with far more requests than its neighbors is reported`() throws {
        let found = try Self.strays(Self.asking)
        #expect(found.map { "\($0.version) \($0.build ?? "")" } == ["3.9.2 ", "4.0 9"])
        let stray = try #require(found.first?.asking)
        #expect(abs(stray.rate - 90) < 2 && abs(stray.usual - 10.5) < 1)
        #expect(found.allSatisfy { $0.failing == nil })
        // Denied builds are not reported.
        #expect(try Self.strays(Self.asking, minimum: "4.0").map { $0.build } == ["9"])
    }

    @Test(
        arguments: [
            // A slightly higher rate; too few devices; no neighbors; the same rate for all.
            [("1", 60, 10), ("2", 60, 25), ("3", 60, 10)],
            [("1", 60, 10), ("2", 40, 90), ("3", 60, 10)],
            [("1", 60, 10), ("2", 60, 90)],
            [("1", 60, 90), ("2", 60, 90), ("3", 60, 90)],
        ] as [[(String, Int, UInt64)]]
    )
    func `a build with the request rate of its neighbors is not reported`(
        _ mix: [(String, Int, UInt64)]
    ) throws {
        #expect(try Self.strays(mix.map { Mixed($0, devices: $1, times: $2) }).isEmpty)
    }

    /// Returns five versions with the given numbers of failures.
    private static func versions(
        devices: Int = 60,
        usual: UInt64 = 0,
        namesDevices: Bool = true,
        _ errors: [Int: UInt64]
    ) -> [Mixed] {
        (1...5).map { version in
            Mixed(
                "\(version)",
                devices: devices,
                errors: errors[version] ?? usual,
                namesDevices: namesDevices
            )
        }
    }

    @Test(
        arguments: [
            // Failures among 600 requests from 60 devices.
            (Self.versions([3: 600]), ["3"]), (Self.versions([3: 200]), ["3"]),
            // The first and the last version have neighbors on one side only.
            (Self.versions([1: 600]), ["1"]), (Self.versions([5: 600]), ["5"]),
            // Two adjacent failing builds do not hide each other.
            (Self.versions([3: 600, 4: 500]), ["3", "4"]),
            // A share of 10% differs significantly from 0% for many devices, but not for few.
            (Self.versions([3: 60]), []),
            (Self.versions(devices: 1_000, [3: 1_000]), ["3"]),
            // Too few failures; few devices; the same rate for all; less than twice the usual rate.
            (Self.versions([3: 19]), []), (Self.versions(devices: 49, [3: 490]), []),
            (Self.versions(usual: 300, [3: 300]), []),
            (Self.versions(devices: 5_000, usual: 2_000, [3: 3_500]), []),
            (Self.versions(devices: 5_000, usual: 2_000, [3: 4_500]), ["3"]),
            // Requests are counted if devices are not identified.
            (Self.versions(namesDevices: false, [3: 60]), ["3"]),
            (Self.versions(devices: 4, namesDevices: false, [3: 40]), []),
            // One neighbor is not enough.
            ([Mixed("1", devices: 60), Mixed("2", devices: 60, errors: 600)], []),
            // For periods without observed responses, the failures are unknown.
            (
                Self.versions([3: 600]).map { mixed in
                    var mixed = mixed
                    mixed.isWatched = mixed.version == "3"
                    return mixed
                }, []
            ),
        ] as [([Mixed], [String])]
    )
    func `a build with significantly more failures than its neighbors is reported`(
        _ mix: [Mixed],
        _ expected: [String]
    ) throws {
        let found = try Self.strays(mix)
        #expect(found.map { "\($0.version)" } == expected)
        #expect(found.allSatisfy { $0.asking == nil })
    }

    @Test func `a build that fails and requests too often is reported once and first`() throws {
        var mix = Self.asking
        for index in mix.indices { mix[index].errors = 1 }
        mix[6].errors = 2_800
        let found = try Self.strays(mix)
        #expect(found.map { "\($0.version) \($0.build ?? "")" } == ["4.0 9", "3.9.2 "])
        let failing = try #require(found.first?.failing)
        #expect(found.first?.asking != nil && found.last?.failing == nil)
        #expect(failing.share == 0.5 && failing.usual < 0.002)
    }

    /// Expected values calculated by hand with the formula from Wilson's paper.
    @Test(
        arguments: [(0, 50, 0, 0.11715), (1, 50, 0.88285, 1), (0.5, 100, 0.37528, 0.62472)]
            as [(Double, Double, Double, Double)]
    )
    func `the interval of a share is the Wilson interval`(
        _ share: Double,
        _ count: Double,
        _ lower: Double,
        _ upper: Double
    ) {
        let interval = WilsonInterval.of(share, among: count)
        #expect(abs(interval.lowerBound - lower) < 0.0001)
        #expect(abs(interval.upperBound - upper) < 0.0001)
    }
}
