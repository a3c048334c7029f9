import Foundation
import GateCensus
import GatePolicy
import Testing

@testable import GateRecords

struct TrafficReportTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000 / 86_400 * 86_400)

    private struct Report: Decodable, Equatable {
        struct Series: Decodable, Equatable {
            var platform: String?
            var version: String?
            var isOther: Bool?
            var points: [Point]
        }

        struct Point: Decodable, Equatable {
            var at: String
            var requests: Int
            var denied: Int
        }

        var stepSeconds: Int
        var series: [Series]
    }

    private static func point(
        _ version: String?,
        _ requests: UInt64,
        at time: Timestamp,
        _ kind: Decision.Kind = .allow
    ) -> CensusSeries {
        let client = CensusClient(
            platform: .stated("ios"),
            version: version.map { .stated($0) } ?? .unreadable
        )
        return CensusSeries(
            cell: CensusCell(
                client: client,
                outcome: CensusOutcome(paths: .none, kind: kind, rule: "none")
            ),
            requests: [time.secondsSinceEpoch: requests]
        )
    }

    private static func report(_ points: [CensusSeries], hours: Int64) throws -> Report {
        let report = TrafficReport(
            points,
            since: Self.now.advanced(by: -hours * 3_600),
            until: Self.now
        )
        return try JSONDecoder().decode(Report.self, from: JSONEncoder().encode(report))
    }

    @Test(arguments: [(1, 60), (2, 60), (3, 3_600), (192, 3_600), (193, 86_400)])
    func `a period is divided into the steps of the census`(hours: Int64, step: Int) throws {
        #expect(try Self.report([], hours: hours).stepSeconds == step)
    }

    @Test func `requests are summed by version and step, most frequent first`() throws {
        let before = Self.now.advanced(by: -3_600)
        let report = try Self.report(
            [
                Self.point("2.0", 1, at: before), Self.point("2.0", 2, at: before, .require),
                Self.point("2.0", 4, at: before.advanced(by: 120)),
                Self.point("3.0", 9, at: Self.now.advanced(by: -1)),
                Self.point(nil, 1, at: before),
            ],
            hours: 24
        )
        #expect(report.series.map(\.version) == ["3.0", "2.0", nil])
        #expect(
            report.series.first?.points == [.init(at: "\(before)", requests: 9, denied: 0)]
        )
        #expect(
            report.series.dropFirst().first?.points
                == [.init(at: "\(before)", requests: 7, denied: 2)]
        )
    }

    @Test func `requests outside the period are ignored`() throws {
        let report = try Self.report(
            [
                Self.point("2.0", 1, at: Self.now.advanced(by: -3_601)),
                Self.point("2.0", 2, at: Self.now.advanced(by: -3_600)),
                Self.point("2.0", 4, at: Self.now.advanced(by: -1)),
                Self.point("2.0", 8, at: Self.now), Self.point("3.0", 9, at: Self.now),
            ],
            hours: 1
        )
        #expect(report.series.map(\.version) == ["2.0"])
        #expect(report.series.first?.points.map(\.requests) == [2, 4])
    }

    @Test func `a period of years has only the steps of the days that the census keeps`() throws {
        let report = try Self.report(
            [Self.point("2.0", 1, at: Self.now.advanced(by: -90 * 86_400))],
            hours: 3_650 * 24
        )
        #expect(report.series.first?.points.map(\.requests) == [1])
    }

    @Test func `versions beyond the limit are one series`() throws {
        let points = (0..<TrafficReport.limit + 3).map {
            Self.point("1.\($0)", UInt64(1_000 - $0), at: Self.now.advanced(by: -60))
        }
        let report = try Self.report(points, hours: 1)
        #expect(report.series.count == TrafficReport.limit + 1)
        #expect(report.series.last?.isOther == true)
        #expect(report.series.last?.points.map(\.requests) == [960 + 959 + 958])
    }
}
