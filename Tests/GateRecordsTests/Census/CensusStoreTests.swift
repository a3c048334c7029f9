import GateCensus
import GatePolicy
import GateSystem
import GateTestSupport
import Testing

@testable import GateRecords

@Suite(.ownThread)
struct CensusStoreTests {
    private static let hash = SipHash(key: Array(repeating: 7, count: 16))
    private static let noon = Timestamp(secondsSinceEpoch: 1_800_000_000 / 86_400 * 86_400 + 43_200)

    private static func cell(
        _ version: String?,
        kind: Decision.Kind = .allow,
        rule: String = "none",
        patterns: [String] = []
    ) -> CensusCell {
        CensusCell(
            client: version.map {
                CensusClient(platform: .stated("ios"), version: .stated($0), build: .unreadable)
            },
            outcome: CensusOutcome(
                paths: CensusPaths(isExempt: false, patterns: patterns),
                kind: kind,
                rule: rule
            )
        )
    }

    /// Returns a bucket of cells in which each device has one request.
    private static func bucket(
        _ counts: [(cell: CensusCell, devices: Range<Int>)]
    ) throws -> CensusBucket {
        let hash = try #require(Self.hash)
        var bucket = CensusBucket(limit: 1_000)
        for (cell, devices) in counts {
            let count = UInt64(devices.count)
            var figures = CensusFigures(requests: count, identified: count)
            for device in devices {
                figures.devices.add(hash.hash(Array("device-\(device)".utf8).span))
            }
            bucket.add(figures, to: cell)
        }
        return bucket
    }

    private static func figures(
        _ store: CensusStore,
        since: Timestamp = Timestamp(secondsSinceEpoch: 0)
    ) throws -> [CensusCell: (requests: UInt64, devices: Int)] {
        Dictionary(
            try store.rows(since: since).map {
                ($0.cell, ($0.figures.requests, $0.figures.devices.count))
            },
            uniquingKeysWith: { ($0.0 + $1.0, max($0.1, $1.1)) }
        )
    }

    @Test func `added counts are stored and available after a restart`() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = StateFolder(path: folder.path)
        let cells = [
            Self.cell("4.0.0", patterns: ["GET /v2/**", "/v3"]), Self.cell(nil, kind: .require),
        ]
        let bucket = try Self.bucket([(cells[0], 0..<10), (cells[1], 5..<8)])
        try CensusStore(in: state).add(bucket, at: Self.noon)
        let store = try CensusStore(in: state)
        // Counts for the same minute are added again, after an immediate restart of the gate.
        try store.add(try Self.bucket([(cells[0], 5..<15)]), at: Self.noon)
        let found = try Self.figures(store)
        #expect(found.count == 2)
        #expect(try #require(found[cells[0]]) == (20, 15))
        #expect(try #require(found[cells[1]]) == (3, 3))
        #expect(try Self.figures(store, since: Self.noon.advanced(by: 60)).isEmpty)
    }

    @Test func `requests over time are summed per step`() throws {
        let store = try CensusStore(in: nil)
        let cells = [Self.cell("4.0.0"), Self.cell("3.0.0", kind: .require)]
        for (minute, cell, count) in [(0, 0, 3), (1, 0, 4), (61, 0, 5), (61, 1, 6)] {
            try store.add(
                try Self.bucket([(cells[cell], 0..<count)]),
                at: Self.noon.advanced(by: Int64(minute) * 60)
            )
        }
        func found(since start: Timestamp, step: Int64) throws -> [String: UInt64] {
            var found: [String: UInt64] = [:]
            for part in try store.series(since: start, step: step) {
                for (time, requests) in part.requests {
                    let second = time - Self.noon.secondsSinceEpoch
                    found["\(second) \(part.cell.outcome.kind)"] = requests
                }
            }
            return found
        }
        #expect(
            try found(since: Self.noon, step: 3_600)
                == ["0 allow": 7, "3600 allow": 5, "3600 require": 6]
        )
        #expect(
            try found(since: Self.noon.advanced(by: 60), step: 60)
                == ["60 allow": 4, "3660 allow": 5, "3660 require": 6]
        )
    }

    @Test func `minutes are rolled up into hours and days without loss until they expire`() throws {
        let store = try CensusStore(in: nil)
        let cell = Self.cell("4.0.0")
        for minute in 0..<120 {
            let bucket = try Self.bucket([(cell, minute..<minute + 2)])
            try store.add(bucket, at: Self.noon.advanced(by: Int64(minute) * 60))
        }
        let expected = (UInt64(240), 121)
        for later in [0, 3 * 3_600, 9 * 86_400, 80 * 86_400] as [Int64] {
            try store.rollUp(at: Self.noon.advanced(by: later))
            #expect(try #require(try Self.figures(store)[cell]) == expected, "after \(later) s")
        }
        let rows = try store.database.use { try $0.integer("SELECT count(*) FROM figures") }
        #expect(rows == 1)
        try store.rollUp(at: Self.noon.advanced(by: 92 * 86_400))
        #expect(try Self.figures(store).isEmpty)
        #expect(try store.database.use { try $0.integer("SELECT count(*) FROM cells") } == 0)
    }

    @Test func `the oldest rows are removed if the store is too large`() throws {
        let store = try CensusStore(path: nil, limit: 200_000)
        for minute in 0..<60 {
            let bucket = try Self.bucket(
                (0..<10).map { (Self.cell("4.\(minute).\($0)"), 0..<300) }
            )
            try store.add(bucket, at: Self.noon.advanced(by: Int64(minute) * 60))
        }
        #expect(try store.usedBytes() > 200_000)
        try store.rollUp(at: Self.noon.advanced(by: 3_600))
        #expect(try store.usedBytes() <= 200_000)
        let found = try Self.figures(store)
        #expect(found[Self.cell("4.0.0")] == nil)
        #expect(found[Self.cell("4.59.0")] != nil)
    }

    @Test func `a purge removes all data, and counting continues`() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try CensusStore(in: StateFolder(path: folder.path))
        try store.add(try Self.bucket([(Self.cell("4.17.2"), 0..<9)]), at: Self.noon)
        try store.purge()
        #expect(try Self.figures(store).isEmpty)
        for name in ["census.sqlite", "census.sqlite-wal"] {
            let bytes = try FileContent(path: "\(folder.path)/\(name)", atMost: 1 << 20).bytes
            #expect(!String(decoding: bytes, as: UTF8.self).contains("4.17.2"))
        }
        try store.add(try Self.bucket([(Self.cell("4.0.0"), 0..<2)]), at: Self.noon)
        #expect(try Self.figures(store).count == 1)
    }

    @Test func `a purged cell is counted again when its clients return`() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try CensusStore(in: StateFolder(path: folder.path))
        func count(at time: Timestamp) throws {
            try store.add(try Self.visits(["GET /home": 2], of: "4.0"), at: time)
        }
        try count(at: Self.noon)
        // This is what `versiongate census purge` does while a gate is running.
        try CensusStore(reading: folder.path).purge()
        try count(at: Self.noon)
        #expect(try Self.figures(store)[Self.cell("4.0")]?.requests == 2)
        #expect(try Self.shapes(store).counts.values.reduce(0, +) == 2)
        try store.purge()
        try count(at: Self.noon)
        #expect(try Self.figures(store)[Self.cell("4.0")]?.requests == 2)
        let later = Self.noon.advanced(by: 100 * 86_400)
        for _ in 0..<2 { try store.rollUp(at: later) }
        try count(at: later)
        #expect(try Self.figures(store)[Self.cell("4.0")]?.requests == 2)
        #expect(try Self.shapes(store).counts.values.reduce(0, +) == 2)
    }

    @Test func `a new key removes devices and keeps requests`() throws {
        let store = try CensusStore(in: nil)
        #expect(try !store.use(keyDigest: 1))
        try store.add(try Self.bucket([(Self.cell("4.0.0"), 0..<9)]), at: Self.noon)
        #expect(try !store.use(keyDigest: 1))
        #expect(try #require(try Self.figures(store)[Self.cell("4.0.0")]) == (9, 9))
        #expect(try store.use(keyDigest: 2))
        #expect(try #require(try Self.figures(store)[Self.cell("4.0.0")]) == (9, 0))
    }

    @Test func `paths are unknown for the time before they were in the rules`() throws {
        let store = try CensusStore(in: nil)
        try store.note(paths: ["/a"], at: Self.noon)
        try store.add(try Self.bucket([(Self.cell("4.0.0"), 0..<1)]), at: Self.noon)
        try store.note(paths: ["/a", "/b"], at: Self.noon.advanced(by: 60))
        try store.add(
            try Self.bucket([(Self.cell("4.0.0"), 0..<1)]),
            at: Self.noon.advanced(by: 60)
        )
        let rows = try store.rows(since: Self.noon)
        #expect(Set(rows.map(\.known)) == [["/a"], ["/a", "/b"]])
        // The path was removed and added again, so its counts for the time in between are unknown.
        try store.note(paths: ["/a"], at: Self.noon.advanced(by: 120))
        try store.note(paths: ["/a", "/b"], at: Self.noon.advanced(by: 180))
        #expect(try Set(store.rows(since: Self.noon).map(\.known)) == [["/a"]])
    }

    @Test func `a file that is not a census is rejected`() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        try folder.write("this is no database, and has never been one", to: "census.sqlite")
        let state = StateFolder(path: folder.path)
        #expect { try CensusStore(in: state) } throws: { error in
            guard case .damaged = error as? CensusStore.Failure else { return false }
            return true
        }
        #expect { try CensusStore(reading: folder.path + "/nowhere") } throws: { error in
            error as? CensusStore.Failure == .failed("the file does not exist")
        }
    }

    @Test func `a file with a newer schema or from another program is rejected`() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = StateFolder(path: folder.path)
        try CensusStore(in: state).database.use { try $0.execute("PRAGMA user_version = 4") }
        #expect(throws: CensusStore.Failure.newer(version: 4)) { try CensusStore(in: state) }
        let other = try SQLiteDatabase(path: "\(folder.path)/other.sqlite")
        try other.execute("CREATE TABLE things (id)")
        #expect(throws: CensusStore.Failure.foreign) {
            try CensusStore(path: "\(folder.path)/other.sqlite", limit: 1)
        }
    }

    @Test(arguments: ["=", "?", "-", "a\u{1F}b", "\u{1E}", "名前"])
    func `a cell can be stored with any client values`(app: String) {
        let cell = CensusCell(
            client: CensusClient(app: .stated(app)),
            outcome: CensusOutcome(paths: .none, kind: .require, rule: "floor")
        )
        #expect(cell.isWritable == !app.contains("\u{1F}"))
        #expect(cell.other.isWritable)
    }

    private static func visits(
        _ counts: [String: UInt64],
        of version: String
    ) throws -> CensusBucket {
        var shapes: [PathShape: UInt64] = [:]
        for (text, count) in counts { shapes[try #require(PathShape(text: text))] = count }
        let requests = counts.values.reduce(0, +)
        var bucket = CensusBucket(limit: 10_000)
        bucket.add(
            CensusFigures(
                requests: requests,
                shapes: ShapeCounts(covered: requests, counts: shapes)
            ),
            to: Self.cell(version)
        )
        return bucket
    }

    private static func shapes(_ store: CensusStore) throws -> ShapeCounts {
        var sum = ShapeCounts()
        let start = Timestamp(secondsSinceEpoch: 0)
        for row in try store.rows(since: start, withShapes: true) { sum.add(row.figures.shapes) }
        return sum
    }

    @Test func `path shapes are stored per cell, rolled up and expired`() throws {
        let store = try CensusStore(in: nil)
        let counts: [String: UInt64] = ["GET /video/*": 3, "GET /home": 4]
        for minute in 0..<120 {
            try store.add(
                try Self.visits(counts, of: "4.\(minute % 2)"),
                at: Self.noon.advanced(by: Int64(minute) * 60)
            )
        }
        for later in [0, 3 * 3_600, 9 * 86_400, 80 * 86_400] as [Int64] {
            try store.rollUp(at: Self.noon.advanced(by: later))
            let found = try Self.shapes(store)
            #expect(found.covered == 840 && found.shapeless == 0, "after \(later) s")
            #expect(
                Dictionary(uniqueKeysWithValues: found.counts.map { ($0.key.text, $0.value) })
                    == ["GET /video/*": 360, "GET /home": 480]
            )
        }
        #expect(try store.rows(since: Self.noon).allSatisfy { $0.figures.shapes.covered == 0 })
        try store.rollUp(at: Self.noon.advanced(by: 92 * 86_400))
        #expect(try Self.shapes(store) == ShapeCounts())
        #expect(try store.database.use { try $0.integer("SELECT count(*) FROM shapes") } == 0)
    }

    @Test func `the shapes with the most requests in an hour are kept`() throws {
        let store = try CensusStore(in: nil)
        for version in 0..<3 {
            var counts: [String: UInt64] = ["GET /home": 1_000]
            for index in 0..<4_000 { counts["GET /n/\(index)"] = 1 }
            try store.add(try Self.visits(counts, of: "\(version)"), at: Self.noon)
        }
        try store.rollUp(at: Self.noon.advanced(by: 3 * 3_600))
        let found = try Self.shapes(store)
        #expect(found.covered == 15_000)
        #expect(found.counts.count <= 8_000)
        #expect(found.counts.first { $0.key.text == "GET /home" }?.value == 3_000)
        #expect(found.counts.values.reduce(0, +) + found.shapeless == 15_000)
        #expect(found.shapeless == 12_003 - 8_000)
    }

    @Test func `a file of schema version 1 is migrated with its data`() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = StateFolder(path: folder.path)
        let first = try CensusStore(in: state)
        try first.add(try Self.bucket([(Self.cell("4.0.0"), 0..<9)]), at: Self.noon)
        try first.database.use { database in
            try database.execute(
                """
                DROP TABLE shapes; DROP TABLE shape_figures; PRAGMA user_version = 1;
                ALTER TABLE figures DROP COLUMN watched;
                ALTER TABLE figures DROP COLUMN server_errors
                """
            )
        }
        let store = try CensusStore(in: state)
        #expect(try #require(try Self.figures(store)[Self.cell("4.0.0")]) == (9, 9))
        try store.add(try Self.visits(["GET /home": 2], of: "4.0.0"), at: Self.noon)
        #expect(try Self.shapes(store).covered == 2)
        #expect(try store.database.use { try $0.integer("PRAGMA user_version") } == 3)
    }
}
