import GatePolicy
import Testing

@testable import GateCensus

/// Paths that old versions request, tested with a mix whose result is known.
@Suite(.ownThread)
struct SunsetSurveyTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private static func figures(_ devices: Range<Int>) throws -> CensusFigures {
        let hash = try #require(SipHash(key: Array(repeating: 5, count: 16)))
        let requests = UInt64(devices.count)
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

    @Test func `paths of old versions are listed with requests, devices and last use`() throws {
        var survey = SunsetSurvey(SunsetFilter(.below(try AppVersion(parsing: "4.0"))))
        for period in [
            try Self.period("3.0", ["/v1/**"], 0..<10, hour: 0),
            try Self.period("3.9", ["/v1/**", "POST /v1/pay"], 5..<8, hour: 5),
            try Self.period("3.0", ["/v1/**"], 0..<2, hour: 3),
            try Self.period("3.0", [], 0..<4, hour: 1),
            try Self.period("3.0", [], 0..<1, hour: 2, isExempt: true),
            // None of these is below 4.0.
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
        #expect(found[0].lastSeen.start == Self.now.advanced(by: 5 * 3_600))
        #expect(found[1].lastSeen.start == Self.now.advanced(by: 3_600))
    }
}
