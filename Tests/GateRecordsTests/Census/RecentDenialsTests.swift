import GateCensus
import GatePolicy
import Testing

@testable import GateRecords

struct RecentDenialsTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private static func bucket(
        _ counts: [(version: String, kind: Decision.Kind, requests: UInt64)]
    ) -> CensusBucket {
        var bucket = CensusBucket(limit: 1_000)
        for (version, kind, requests) in counts {
            let cell = CensusCell(
                client: CensusClient(version: .stated(version)),
                outcome: CensusOutcome(paths: .none, kind: kind, rule: "ios")
            )
            bucket.add(CensusFigures(requests: requests), to: cell)
        }
        return bucket
    }

    @Test func `denied requests of a harvest are listed by frequency`() {
        var denials = RecentDenials()
        denials.add(
            Self.bucket([
                ("1.0", .require, 2), ("2.0", .maintenance, 5), ("3.0", .allow, 100),
                ("2.9", .recommend, 50),
            ]),
            at: Self.now
        )
        #expect(denials.requests == 7)
        #expect(denials.samples.map(\.requests) == [5, 2])
        #expect(denials.samples.map(\.cell.client?.version) == [.stated("2.0"), .stated("1.0")])
    }

    @Test func `a flood is sampled, and only the latest denials are kept`() {
        var denials = RecentDenials()
        let flood = Self.bucket((0..<500).map { ("9.\($0)", .require, 1) })
        denials.add(flood, at: Self.now)
        #expect(denials.samples.count == RecentDenials.harvestLimit)
        #expect(denials.requests == 500)
        for second in 1...20 { denials.add(flood, at: Self.now.advanced(by: Int64(second))) }
        #expect(denials.samples.count == RecentDenials.limit)
        #expect(denials.samples.last?.time == Self.now.advanced(by: 20))
        #expect(denials.requests == 500 * 21)
    }
}
