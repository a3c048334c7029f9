import GatePolicy
import Testing

@testable import GateCensus

/// Paths that old versions call, and builds that stray, in mixes of which the answer is known.
@Suite(.ownThread)
struct SunsetSurveyTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private static func figures(_ devices: Range<Int>, times: UInt64 = 1) throws -> CensusFigures {
        let hash = try #require(SipHash(key: Array(repeating: 5, count: 16)))
        let requests = UInt64(devices.count) * times
        var figures = CensusFigures(requests: requests, identified: requests)
        for device in devices { figures.devices.add(hash.hash(Array("\(device)".utf8).span)) }
        return figures
    }

    private static func period(
        _ version: String?,
        _ patterns: [String],
        _ devices: Range<Int>,
        hour: Int64,
        isExempt: Bool = false
    ) throws -> CensusPeriod {
        let outcome = CensusOutcome(
            paths: CensusPaths(isExempt: isExempt, patterns: patterns),
            kind: .allow,
            rule: "none"
        )
        let client = CensusClient(
            platform: .stated("ios"),
            version: version.map { .stated($0) } ?? .unreadable
        )
        return CensusPeriod(
            start: Self.now.advanced(by: hour * 3_600),
            length: 3_600,
            cell: CensusCell(client: client, outcome: outcome),
            figures: try Self.figures(devices)
        )
    }

    @Test func `paths of old versions are named with requests, devices and the last time`() throws {
        var survey = SunsetSurvey(SunsetFilter(below: try AppVersion(parsing: "4.0")))
        for period in [
            try Self.period("3.0", ["/v1/**"], 0..<10, hour: 0),
            try Self.period("3.9", ["/v1/**", "POST /v1/pay"], 5..<8, hour: 5),
            try Self.period("3.0", ["/v1/**"], 0..<2, hour: 3),
            try Self.period("3.0", [], 0..<4, hour: 1),
            try Self.period("3.0", [], 0..<1, hour: 2, isExempt: true),
            // None of them is below 4.0.
            try Self.period("4.0-rc.1", ["/v1/**"], 20..<30, hour: 9),
            try Self.period("4.0", ["/v1/**"], 20..<30, hour: 9),
            try Self.period(nil, ["/v1/**"], 20..<30, hour: 9),
        ] { survey.add(period) }
        #expect(survey.total.requests == 20 && survey.total.devices.count == 10)
        let found = survey.found
        #expect(
            found.map(\.place)
                == [.pattern("/v1/**"), .other, .pattern("POST /v1/pay"), .exempt]
        )
        #expect(found.map(\.figures.requests) == [15, 4, 3, 1])
        #expect(found.map(\.figures.devices.count) == [10, 4, 3, 1])
        #expect(found[0].versions == ["3.0", "3.9"])
        #expect(found[0].lastSeen?.start == Self.now.advanced(by: 5 * 3_600))
        #expect(found[1].lastSeen?.start == Self.now.advanced(by: 3_600))
    }

    private static func strays(
        _ counts: [(version: String, build: String?, devices: Int, times: UInt64)],
        kind: Decision.Kind = .allow,
        minimum: String? = nil
    ) throws -> [StrayBuilds.Stray] {
        var start = 0
        let rows = try counts.map { version, build, devices, times in
            defer { start += devices }
            let client = CensusClient(
                platform: .stated("ios"),
                version: .stated(version),
                build: build.map { .stated($0) } ?? .missing
            )
            return CensusRow(
                cell: CensusCell(client: client, outcome: .passes),
                known: [],
                figures: try Self.figures(start..<start + devices, times: times)
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

    @Test func `a build that asks far more often than its neighbours is named`() throws {
        let mix: [(String, String?, Int, UInt64)] = [
            ("3.8", nil, 200, 10), ("3.9", nil, 300, 12), ("3.9.2", nil, 100, 90),
            ("3.10", nil, 400, 11), ("4.0", "7", 60, 10), ("4.0", "8", 60, 9),
            ("4.0", "9", 70, 80),
        ]
        let found = try Self.strays(mix)
        #expect(found.map { "\($0.version) \($0.build ?? "")" } == ["3.9.2 ", "4.0 9"])
        let stray = try #require(found.first)
        #expect(abs(stray.rate - 90) < 2 && abs(stray.usual - 10.5) < 1)
        // Those whom rules refuse are nobody's concern.
        #expect(try Self.strays(mix, minimum: "4.0").map { $0.build } == ["9"])
    }

    @Test(
        arguments: [
            // A bit more than usual; too few devices; no neighbours; everybody the same.
            [("1", nil, 60, 10), ("2", nil, 60, 25), ("3", nil, 60, 10)],
            [("1", nil, 60, 10), ("2", nil, 40, 90), ("3", nil, 60, 10)],
            [("1", nil, 60, 10), ("2", nil, 60, 90)],
            [("1", nil, 60, 90), ("2", nil, 60, 90), ("3", nil, 60, 90)],
        ] as [[(String, String?, Int, UInt64)]]
    )
    func `a build that is like its neighbours is not`(
        _ mix: [(String, String?, Int, UInt64)]
    ) throws {
        #expect(try Self.strays(mix).isEmpty)
    }
}
