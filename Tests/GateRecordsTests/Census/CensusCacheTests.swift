import GateCensus
import GatePolicy
import GateTestSupport
import Synchronization
import Testing

@testable import GateRecords

/// A census with cached sums, which returns the same results as one that reads all rows.
@Suite(.ownThread)
struct CensusCacheTests {
    /// A row from the database.
    private struct Line: Hashable {
        let cell: CensusCell
        let known: Set<String>
        let requests: UInt64
        let identified: UInt64
        let watched: UInt64
        let serverErrors: UInt64
        let devices: Int
        let shapes: [String: UInt64]
    }

    private static let spans: [Int64] = [3_600, 5_400, 86_400, 7 * 86_400, 90 * 86_400]
    private static let hash = SipHash(key: Array(repeating: 7, count: 16))

    private static func lines(
        _ store: CensusStore,
        since start: Timestamp,
        withShapes: Bool
    ) throws -> Set<Line> {
        Set(
            try store.rows(since: start, withShapes: withShapes).map { row in
                let shapes = row.figures.shapes
                var counts = Dictionary(
                    uniqueKeysWithValues: shapes.counts.map { ($0.key.text, $0.value) }
                )
                counts["covered"] = shapes.covered
                counts["shapeless"] = shapes.shapeless
                return Line(
                    cell: row.cell,
                    known: row.known,
                    requests: row.figures.requests,
                    identified: row.figures.identified,
                    watched: row.figures.watched,
                    serverErrors: row.figures.serverErrors,
                    devices: row.figures.devices.count,
                    shapes: counts
                )
            }
        )
    }

    private static func series(
        _ store: CensusStore,
        since start: Timestamp
    ) throws -> [CensusCell: [Int64: UInt64]] {
        Dictionary(
            try store.series(since: start, step: 3_600).map { ($0.cell, $0.requests) },
            uniquingKeysWith: { $0.merging($1, uniquingKeysWith: +) }
        )
    }

    private static func bucket(
        _ generator: inout SeededGenerator
    ) throws -> CensusBucket {
        let hash = try #require(Self.hash)
        var bucket = CensusBucket(limit: 1_000)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let version = Int.random(in: 0..<6, using: &generator)
            let devices = 0..<Int.random(in: 1...20, using: &generator)
            let count = UInt64(devices.count)
            var figures = CensusFigures(
                requests: count,
                identified: count,
                watched: count,
                serverErrors: count / 3
            )
            for device in devices {
                figures.devices.add(hash.hash(Array("device-\(device)".utf8).span))
            }
            let shape = try #require(
                PathShape(text: version.isMultiple(of: 2) ? "GET /a" : "GET /b")
            )
            figures.shapes = ShapeCounts(covered: count, counts: [shape: count - 1], shapeless: 1)
            let client = CensusClient(
                platform: .stated("ios"),
                version: .stated("\(version).0"),
                build: .unreadable
            )
            let paths = CensusPaths(isExempt: false, patterns: [])
            let outcome = CensusOutcome(paths: paths, kind: .allow, rule: "none")
            bucket.add(figures, to: CensusCell(client: client, outcome: outcome))
        }
        return bucket
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the cached result equals the full result after any sequence of writes`(seed: UInt64)
        throws
    {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = StateFolder(path: folder.path)
        let store = try CensusStore(in: state)
        var generator = SeededGenerator(seed: seed)
        var now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        var (remembered, forgotten) = (0, 0)
        for step in 0..<160 {
            // Usually, seconds pass between writes, but sometimes hours or days.
            let pause: ClosedRange<Int64> =
                [1...90, 1...90, 60...7_200, 3_600...172_800]
                .randomElement(using: &generator) ?? 1...90
            now = now.advanced(by: .random(in: pause, using: &generator))
            // The clock may be set back, and an earlier minute may be written late.
            let isLate = step.isMultiple(of: 13)
            let time = isLate ? now.advanced(by: -.random(in: 60...9_000, using: &generator)) : now
            try store.add(try Self.bucket(&generator), at: time)
            switch step % 20 {
            case 5, 15: try store.rollUp(at: now)
            case 3, 7: try store.prepare(at: now)
            case 9: try store.note(paths: ["/path-\(step)"], at: now)
            case 19 where step > 100: try CensusStore(in: state).purge()
            default: break
            }
            let isAware = store.memory.withLock { $0.rowsWithShapes.end > .min }
            if isAware { remembered += 1 } else { forgotten += 1 }
            let fresh = try CensusStore(in: state)
            for span in Self.spans {
                let start = now.advanced(by: -span)
                for withShapes in [false, true] {
                    let told = try Self.lines(store, since: start, withShapes: withShapes)
                    let read = try Self.lines(fresh, since: start, withShapes: withShapes)
                    #expect(told == read, "step \(step), \(span) s")
                }
                let told = try Self.series(store, since: start)
                #expect(told == (try Self.series(fresh, since: start)), "step \(step), \(span) s")
            }
        }
        // The test is only meaningful if the cache is used and invalidated.
        #expect(remembered > 50 && forgotten > 10)
    }

    @Test func `cells are loaded once a file is readable again`() throws {
        let database = try SQLiteDatabase(path: nil)
        try database.execute(
            "CREATE TABLE cells (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)"
        )
        let cell = CensusCell(
            client: nil,
            outcome: CensusOutcome(paths: .none, kind: .allow, rule: "none")
        )
        try database.run("INSERT INTO cells (text) VALUES (?)", [.text(cell.text)])
        var memory = CensusCache()
        try memory.look(at: database, changes: nil)
        #expect(memory.cells == [1: cell])
        try database.execute("ALTER TABLE cells RENAME TO away")
        #expect(throws: SQLiteDatabase.Failure.self) {
            try memory.look(at: database, changes: nil)
        }
        try database.execute("ALTER TABLE away RENAME TO cells")
        try memory.look(at: database, changes: nil)
        #expect(memory.cells == [1: cell])
    }
}
