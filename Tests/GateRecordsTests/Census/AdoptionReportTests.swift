import Foundation
import GateCensus
import GatePolicy
import Testing

@testable import GateRecords

@Suite(.ownThread)
struct AdoptionReportTests {
    /// Noon on a day, and its number since 1970.
    private static let (noon, day) = (
        Timestamp(secondsSinceEpoch: 20_833 * 86_400 + 43_200), Int64(20_833)
    )

    private struct Report: Decodable {
        struct Group: Decodable {
            var app: String?
            var platform: String?
            var devices: [Int]
            var versions: [Version]
        }

        struct Version: Decodable, Equatable {
            var version: String?
            var isOther: Bool?
            var devices: [Int]
        }

        var days: [String]
        var groups: [Group]
    }

    private static func report(_ store: CensusStore, days: Int64) throws -> Report {
        let report = try AdoptionReport(
            store,
            since: self.noon.advanced(by: -days * 86_400),
            until: self.noon
        )
        return try JSONDecoder().decode(Report.self, from: JSONEncoder().encode(report))
    }

    /// Adds requests some time before noon, one from each device.
    private static func add(
        _ devices: Range<UInt64>,
        of version: String?,
        app: String? = "shop",
        kind: Decision.Kind = .allow,
        hoursAgo: Int64,
        to store: CensusStore
    ) throws {
        var figures = CensusFigures(requests: UInt64(devices.count))
        for device in devices { figures.devices.add((device + 1) &* 0x9E37_79B9_7F4A_7C15) }
        let client = CensusClient(
            app: app.map { .stated($0) } ?? .missing,
            platform: .stated("ios"),
            version: version.map { .stated($0) } ?? .unreadable
        )
        var bucket = CensusBucket(limit: 100)
        let outcome = CensusOutcome(paths: .none, kind: kind, rule: "ios")
        bucket.add(figures, to: CensusCell(client: client, outcome: outcome))
        try store.add(bucket, at: self.noon.advanced(by: -hoursAgo * 3_600))
    }

    @Test func `a device counts once per day and version, whatever the decision`() throws {
        let store = try CensusStore(in: nil)
        try Self.add(0..<6, of: "4.0", hoursAgo: 48, to: store)
        try Self.add(0..<4, of: "4.0", kind: .require, hoursAgo: 47, to: store)
        try Self.add(4..<6, of: "4.1", hoursAgo: 46, to: store)
        try Self.add(0..<3, of: "4.1", hoursAgo: 0, to: store)
        try Self.add(0..<2, of: nil, app: nil, hoursAgo: 1, to: store)
        for later in [0, 9 * 86_400] as [Int64] {
            try store.rollUp(at: Self.noon.advanced(by: later))
            let report = try Self.report(store, days: 2)
            #expect(report.days == ["2027-01-13", "2027-01-14", "2027-01-15"])
            #expect(report.groups.map(\.app) == ["shop", nil])
            #expect(report.groups[0].devices == [6, 0, 3])
            #expect(
                report.groups[0].versions == [
                    .init(version: "4.0", devices: [6, 0, 0]),
                    .init(version: "4.1", devices: [2, 0, 3]),
                ]
            )
            #expect(report.groups[1].versions == [.init(version: nil, devices: [0, 0, 2])])
        }
    }

    @Test func `versions beyond the forty with the most devices are combined`() throws {
        let store = try CensusStore(in: nil)
        for version in 0..<45 {
            let devices = UInt64(version) * 100
            let count: UInt64 = version < 40 ? 3 : 1
            try Self.add(devices..<devices + count, of: "1.\(version)", hoursAgo: 1, to: store)
        }
        let versions = try #require(try Self.report(store, days: 1).groups.first).versions
        #expect(versions.count == 41)
        #expect(versions.last == .init(isOther: true, devices: [0, 5]))
    }

    @Test func `complete days are read once, unless a count is added to them`() throws {
        let store = try CensusStore(in: nil)
        try Self.add(0..<2, of: "4.0", hoursAgo: 24, to: store)
        try Self.add(0..<1, of: "4.0", hoursAgo: 0, to: store)
        func devices() throws -> [Int]? { try Self.report(store, days: 1).groups.first?.devices }
        #expect(try devices() == [2, 1])
        // The rows are removed without the store's knowledge.
        try store.database.use {
            try $0.execute("DELETE FROM figures WHERE start < \(Self.day * 86_400)")
        }
        #expect(try devices() == [2, 1])
        try Self.add(0..<5, of: "4.0", hoursAgo: 25, to: store)
        #expect(try devices() == [5, 1])
        try store.purge()
        #expect(try devices() == nil)
    }

    @Test func `the first devices of a new gate count at once`() throws {
        let store = try CensusStore(in: nil)
        #expect(try Self.report(store, days: 0).groups.isEmpty)
        try Self.add(0..<3, of: "4.0", hoursAgo: 0, to: store)
        #expect(try Self.report(store, days: 0).groups.first?.devices == [3])
    }

    @Test func `no more days are read than the census keeps`() throws {
        let store = try CensusStore(in: nil)
        #expect(try Self.report(store, days: 3_650).days.count == 91)
    }
}
