import GatePolicy
import Testing

@testable import GateRecords

/// The period that a census covers.
@Suite struct CensusCoverageTests {
    private static let day: Int64 = 86_400

    private static func time(_ days: Double) -> Timestamp {
        Timestamp(secondsSinceEpoch: 1_800_000_000 / 86_400 * 86_400 + Int64(days * 86_400))
    }

    private static func coverage(
        _ spans: [(Double, Double)],
        from first: Double? = nil,
        isCut: Bool = false
    ) -> CensusCoverage {
        CensusCoverage(
            spans.map { Self.time($0.0)..<Self.time($0.1) },
            from: first.map { Self.time($0) },
            isCut: isCut,
            until: Self.time(10)
        )
    }

    @Test func `a census that starts later has a start and no pause before it`() {
        let coverage = Self.coverage([(9, 10), (8.5, 9)])
        #expect(coverage.start == Self.time(8.5) && coverage.pauses.isEmpty && !coverage.isEmpty)
    }

    @Test func `an older census has no start unless its first row is truncated`() {
        #expect(Self.coverage([(0.5, 1), (1, 10)], from: 0).start == nil)
        #expect(Self.coverage([(0.5, 1), (1, 10)], from: 0.5, isCut: true).start == Self.time(0.5))
    }

    @Test(
        arguments: [
            ([(0.0, 1.0), (2.0, 10.0)], []), ([(0.0, 1.0), (2.1, 10.0)], [1.0]),
            ([(0.0, 8.9)], [8.9]), ([(0.0, 9.0)], []), ([(0.0, 9.5), (1.0, 2.0)], []),
            ([(1.5, 10.0)], [0.0]), ([(0.0, 1.0), (4.0, 5.0)], [1.0, 5.0]),
        ] as [([(Double, Double)], [Double])]
    )
    func `more than a day without requests is a pause`(
        spans: [(Double, Double)],
        starts: [Double]
    ) {
        let pauses = Self.coverage(spans, from: 0).pauses
        #expect(pauses.map(\.lowerBound) == starts.map { Self.time($0) })
    }

    @Test func `without requests, the coverage is empty`() {
        #expect(Self.coverage([]).isEmpty && Self.coverage([], from: 0).isEmpty)
        #expect(Self.coverage([], from: 0).pauses.count == 1)
    }

    @Test func `a store returns its coverage`() throws {
        let store = try CensusStore(in: nil)
        let start = Self.time(0)
        #expect(try store.coverage(since: start, until: Self.time(10)).isEmpty)
        try store.database.use { database in
            for (span, begin) in [(60, 3.0), (3_600, 2.5), (86_400, -1.0), (60, 9.5)] {
                try database.run(
                    "INSERT INTO figures (span, start, cell, requests, identified, devices) "
                        + "VALUES (?, ?, 1, 1, 0, x'')",
                    [.integer(Int64(span)), .integer(Self.time(begin).secondsSinceEpoch)]
                )
            }
        }
        let whole = try store.coverage(since: start, until: Self.time(10))
        #expect(whole.start == nil && whole.pauses.count == 2)
        // Days are stored as units, and a day that is only partly in the period is not read.
        let cut = try store.coverage(since: Self.time(-0.5), until: Self.time(10))
        #expect(cut.start == Self.time(0))
        let late = try store.coverage(since: Self.time(-2), until: Self.time(10))
        #expect(late.start == Self.time(-1))
    }
}
