import GateCensus
import GatePolicy
import GateTestSupport
import Testing

@testable import GateRecords

/// The storage of failed backend responses.
@Suite(.ownThread)
struct CensusStoreAnswersTests {
    private static let noon = Timestamp(secondsSinceEpoch: 1_800_000_000 / 86_400 * 86_400 + 43_200)

    private static func cell(_ kind: Decision.Kind = .allow, rule: String = "none") -> CensusCell {
        CensusCell(
            client: CensusClient(platform: .stated("ios"), version: .stated("4.0.0")),
            outcome: CensusOutcome(paths: .none, kind: kind, rule: rule)
        )
    }

    /// Returns a bucket with one cell and its numbers of observed and failed responses.
    private static func answers(
        _ cell: CensusCell,
        requests: UInt64,
        watched: UInt64,
        errors: UInt64
    ) -> CensusBucket {
        var bucket = CensusBucket(limit: 1_000)
        bucket.add(
            CensusFigures(requests: requests, watched: watched, serverErrors: errors),
            to: cell
        )
        return bucket
    }

    /// Returns a version's numbers of requests, observed responses and failed responses.
    private static func answers(_ store: CensusStore, of cell: CensusCell) throws -> [UInt64] {
        let rows = try store.rows(since: Timestamp(secondsSinceEpoch: 0))
        return rows.filter { $0.cell == cell }.reduce([0, 0]) {
            [$0[0] + $1.figures.watched, $0[1] + $1.figures.serverErrors]
        }
    }

    @Test func `a file of schema version 2 is migrated with unknown responses`() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = StateFolder(path: folder.path)
        let cell = Self.cell()
        let second = try CensusStore(in: state)
        let before = Self.answers(cell, requests: 9, watched: 9, errors: 9)
        try second.add(before, at: Self.noon)
        try second.database.use { database in
            try database.execute(
                """
                ALTER TABLE figures DROP COLUMN watched;
                ALTER TABLE figures DROP COLUMN server_errors;
                PRAGMA user_version = 2
                """
            )
        }
        let store = try CensusStore(in: state)
        #expect(try Self.answers(store, of: cell) == [0, 0])
        let bucket = Self.answers(cell, requests: 6, watched: 5, errors: 2)
        try store.add(bucket, at: Self.noon)
        #expect(try Self.answers(store, of: cell) == [5, 2])
        #expect(try store.rows(since: Self.noon).map(\.figures.requests) == [15])
        #expect(try store.database.use { try $0.integer("PRAGMA user_version") } == 3)
    }

    @Test func `failed responses are rolled up, survive a key change, and are purged`() throws {
        let store = try CensusStore(in: nil)
        let cell = Self.cell()
        #expect(try !store.use(keyDigest: 1))
        for minute in 0..<120 {
            let bucket = Self.answers(cell, requests: 4, watched: 3, errors: 1)
            try store.add(bucket, at: Self.noon.advanced(by: Int64(minute) * 60))
        }
        for later in [0, 3 * 3_600, 9 * 86_400, 80 * 86_400] as [Int64] {
            try store.rollUp(at: Self.noon.advanced(by: later))
            #expect(try Self.answers(store, of: cell) == [360, 120], "after \(later) s")
        }
        #expect(try store.use(keyDigest: 2))
        #expect(try Self.answers(store, of: cell) == [360, 120])
        try store.purge()
        #expect(try Self.answers(store, of: cell) == [0, 0])
    }

    @Test func `a late response does not count as a match of its rule`() throws {
        let store = try CensusStore(in: nil)
        let cell = Self.cell(.recommend, rule: "nudge")
        for (minute, requests) in [(0, 1), (9, 0)] as [(Int64, UInt64)] {
            let bucket = Self.answers(cell, requests: requests, watched: requests, errors: 1)
            try store.add(bucket, at: Self.noon.advanced(by: minute * 60))
        }
        let matches = try store.lastMatches(at: Self.noon.advanced(by: 3_600))
        #expect(matches["nudge"]?.at == Self.noon.advanced(by: 60))
        #expect(try Self.answers(store, of: cell) == [1, 2])
    }
}
