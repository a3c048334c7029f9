import Foundation
import GateCensus
import GatePolicy
import GateRules
import RulesTestSupport
import Testing

@testable import GateRecords

@Suite(.ownThread)
struct OverviewReportTests {
    /// A quarter past noon, in the middle of a minute.
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000 / 86_400 * 86_400 + 44_130)

    private struct Report: Decodable {
        struct Amount: Decodable, Equatable {
            var requests: Int
            var devices: Int
        }

        struct Figures: Decodable {
            var requests: Int
            var devices: Int
            var denied: Amount
            var recommended: Amount
            var observed: Amount
            var serverErrors: Int
        }

        struct Entry: Decodable {
            var platform: String?
            var isOther: Bool?
            var now: Figures
            var earlier: Figures
        }

        struct Period: Decodable, Equatable {
            var since: String
            var until: String
        }

        var since: String
        var until: String
        var earlier: Period
        var total: Entry
        var platforms: [Entry]
        var versions: [Version]
    }

    private struct Version: Decodable, Equatable {
        var version: String
        var requests: Int
    }

    private static func report(
        _ store: CensusStore,
        rules: String = "rules: []"
    ) throws -> Report {
        let ruleSet = try RulesFileLoader.load(sources: [("rules.yaml", rules)]).ruleSet
        let report = try OverviewReport(store, by: ruleSet, at: Self.now)
        return try JSONDecoder().decode(Report.self, from: JSONEncoder().encode(report))
    }

    /// Adds requests at a time before now, one from each device.
    private static func add(
        _ devices: Range<UInt64>,
        _ kind: Decision.Kind = .allow,
        platform: String? = "ios",
        version: String = "4.0.0",
        secondsAgo: Int64,
        serverErrors: UInt64 = 0,
        to store: CensusStore
    ) throws {
        let count = UInt64(devices.count)
        var figures = CensusFigures(
            requests: count,
            identified: count,
            serverErrors: serverErrors
        )
        for device in devices { figures.devices.add((device + 1) &* 0x9E37_79B9_7F4A_7C15) }
        let client = CensusClient(
            platform: platform.map { .stated($0) } ?? .missing,
            version: .stated(version)
        )
        let cell = CensusCell(
            client: client,
            outcome: CensusOutcome(paths: .none, kind: kind, rule: "ios")
        )
        var bucket = CensusBucket(limit: 100)
        bucket.add(figures, to: cell)
        try store.add(bucket, at: Self.now.advanced(by: -secondsAgo))
    }

    @Test func `the last 15 minutes are compared with those an hour before, by decision`() throws {
        let store = try CensusStore(in: nil)
        try Self.add(0..<20, secondsAgo: 0, serverErrors: 3, to: store)
        try Self.add(5..<8, .require, secondsAgo: 60, to: store)
        try Self.add(0..<2, .maintenance, secondsAgo: 120, to: store)
        try Self.add(30..<34, .recommend, secondsAgo: 840, to: store)
        try Self.add(0..<9, secondsAgo: 1_000, to: store)
        try Self.add(0..<7, .require, secondsAgo: 3_600, to: store)
        try Self.add(0..<1, secondsAgo: 4_440, to: store)
        try Self.add(0..<6, secondsAgo: 4_600, to: store)
        let report = try Self.report(store)
        #expect(report.since.hasSuffix("T12:01:00Z") && report.until.hasSuffix("T12:16:00Z"))
        #expect(report.earlier.since.hasSuffix("T11:01:00Z"))
        #expect(report.earlier.until.hasSuffix("T11:16:00Z"))
        let now = report.total.now
        #expect(now.requests == 29 && now.devices == 24 && now.serverErrors == 3)
        #expect(now.denied == .init(requests: 5, devices: 5))
        #expect(now.recommended == .init(requests: 4, devices: 4))
        #expect(now.observed == .init(requests: 0, devices: 0))
        let earlier = report.total.earlier
        #expect(earlier.requests == 8 && earlier.denied == .init(requests: 7, devices: 7))
    }

    @Test func `each platform has its own figures, the largest first`() throws {
        let store = try CensusStore(in: nil)
        try Self.add(0..<2, platform: nil, secondsAgo: 0, to: store)
        try Self.add(0..<3, platform: "android", secondsAgo: 0, to: store)
        try Self.add(0..<9, .require, secondsAgo: 0, to: store)
        try Self.add(0..<4, platform: "tvos", secondsAgo: 3_600, to: store)
        let platforms = try Self.report(store).platforms
        #expect(platforms.map(\.platform) == ["ios", "android", nil, "tvos"])
        #expect(platforms.map(\.now.requests) == [9, 3, 2, 0])
        #expect(platforms.map(\.now.denied.devices) == [9, 0, 0, 0])
        #expect(platforms.map(\.earlier.requests) == [0, 0, 0, 4])
    }

    @Test func `the versions with the most requests are named, whatever the platform`() throws {
        let store = try CensusStore(in: nil)
        try Self.add(0..<5, version: "4.0.0", secondsAgo: 0, to: store)
        try Self.add(0..<2, platform: "android", version: "3.0.0", secondsAgo: 60, to: store)
        try Self.add(0..<4, .require, version: "3.0.0", secondsAgo: 0, to: store)
        try Self.add(0..<90, version: "2.0.0", secondsAgo: 1_000, to: store)
        for minor in 1...9 { try Self.add(0..<1, version: "1.\(minor)", secondsAgo: 0, to: store) }
        let versions = try Self.report(store).versions
        #expect(versions.map(\.version) == ["3.0.0", "4.0.0", "1.1", "1.2", "1.3"])
        #expect(versions.map(\.requests) == [6, 5, 1, 1, 1])
    }

    @Test func `clients that an observing rule would deny count, unless they are denied`() throws {
        let store = try CensusStore(in: nil)
        try Self.add(0..<20, version: "3.9.0", secondsAgo: 0, to: store)
        try Self.add(20..<23, .require, version: "2.0.0", secondsAgo: 0, to: store)
        try Self.add(0..<50, version: "4.0.0", secondsAgo: 0, to: store)
        let url = "storeUrl: https://apps.example/1"
        let rules = """
            rules:
              - { id: floor, minimum: "3.0.0", \(url) }
              - { id: next, minimum: "4.0.0", mode: observe, \(url) }
            """
        let now = try Self.report(store, rules: rules).total.now
        #expect(now.observed == .init(requests: 20, devices: 20))
        #expect(now.denied == .init(requests: 3, devices: 3))
    }

    @Test func `minutes are kept for the comparison, whatever the minute of the hour`() throws {
        let store = try CensusStore(in: nil)
        try Self.add(0..<1, secondsAgo: 4_440, to: store)
        for minute in 0..<60 {
            try store.rollUp(at: Self.now.advanced(by: -Int64(minute) * 60))
        }
        #expect(try Self.report(store).total.earlier.requests == 1)
    }
}
