package import GateCensus
package import GatePolicy
private import Glibc
internal import Synchronization

/// The census of the last 90 days, in a SQLite database.
///
/// Minutes are merged into hours two to three hours later, and hours into days after eight days.
/// Days are kept for 90 days. No request is stored twice, so a query adds up rows of all three
/// spans.
package final class CensusStore: Sendable {
    package typealias Failure = StateDatabase.Failure

    /// The span of a row in seconds.
    ///
    /// The names of the cases are part of the keys in Redis, so they must not change.
    enum Span: Int64 {
        case minute = 60
        case hour = 3_600
        case day = 86_400

        /// Returns the start of the span that contains a time, in seconds since 1970.
        func start(of second: Int64) -> Int64 { second / self.rawValue * self.rawValue }
        func start(of time: Timestamp) -> Int64 { self.start(of: time.secondsSinceEpoch) }
    }

    /// The default maximum sizes in bytes, on disk and in memory.
    package static let diskLimit: Int64 = 1 << 30
    package static let memoryLimit: Int64 = 64 << 20

    static let fileName = "census.sqlite"
    /// The tables added in version 2.
    private static let shapeTables = """
        CREATE TABLE shapes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
        CREATE TABLE shape_figures (
            span INTEGER NOT NULL, start INTEGER NOT NULL, cell INTEGER NOT NULL,
            shape INTEGER NOT NULL, requests INTEGER NOT NULL,
            PRIMARY KEY (span, start, cell, shape)) WITHOUT ROWID;
        """
    /// The columns added in version 3; the responses to earlier requests are unknown.
    private static let answerColumns = """
        ALTER TABLE figures ADD COLUMN watched INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE figures ADD COLUMN server_errors INTEGER NOT NULL DEFAULT 0;
        """
    private static let kind = StateDatabase.Kind(
        // The letters `VGce`.
        application: 0x5647_6365,
        version: 3,
        schema: """
            CREATE TABLE cells (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
            CREATE TABLE figures (
                span INTEGER NOT NULL, start INTEGER NOT NULL, cell INTEGER NOT NULL REFERENCES cells,
                requests INTEGER NOT NULL, identified INTEGER NOT NULL, devices BLOB NOT NULL,
                PRIMARY KEY (span, start, cell));
            CREATE TABLE paths (text TEXT PRIMARY KEY, since INTEGER NOT NULL);
            CREATE TABLE key (digest INTEGER NOT NULL);
            \(shapeTables)
            \(answerColumns)
            """,
        migrations: [shapeTables, answerColumns]
    )

    let database: StateDatabase
    private let limit: Int64
    /// The cached row IDs; the lock must only be taken while the database is locked.
    private let ids = Mutex(CensusRowIDs())
    /// The cached sums; the lock must only be taken while the database is locked.
    let memory = Mutex(CensusCache())

    /// Opens or creates the census in a folder, or in memory if there is no folder.
    ///
    /// `limit` is the maximum size in bytes; `nil` means the default.
    package convenience init(in folder: StateFolder?, limit: Int64? = nil) throws(Failure) {
        try self.init(
            path: folder.map { "\($0.path)/\(Self.fileName)" },
            limit: limit ?? (folder == nil ? Self.memoryLimit : Self.diskLimit)
        )
    }

    /// Opens the existing census in a folder for a CLI command, which may also empty the census.
    ///
    /// A missing file causes an error, and is not created.
    package convenience init(reading folder: String) throws(Failure) {
        let path = "\(folder)/\(Self.fileName)"
        guard unsafe access(path, F_OK) == 0 else { throw .failed("the file does not exist") }
        try self.init(path: path, limit: Self.diskLimit)
    }

    init(path: String?, limit: Int64) throws(Failure) {
        self.database = try StateDatabase(path: path, Self.kind)
        self.limit = limit
    }
}

/// Writing.
extension CensusStore {
    /// The ages in seconds at which minutes are merged into hours and hours into days, and at which
    /// days are deleted.
    private static let minutesKept: Int64 = 7_200
    private static let hoursKept: Int64 = 8 * 86_400
    static let daysKept: Int64 = 90 * 86_400
    /// The tables whose rows are merged and deleted by time.
    private static let tables = ["figures", "shape_figures"]

    /// Adds the counts since the last write to the current minute.
    package func add(_ bucket: CensusBucket, at now: Timestamp) throws(Failure) {
        guard !bucket.isEmpty else { return }
        let start = Span.minute.start(of: now)
        try self.database.use { database in
            self.memory.withLock { $0.prepareForWrite(at: start) }
            try self.ids.withLock { known in
                // A failed transaction inserts no rows, so the IDs from it must not be cached.
                var ids = CensusRowIDs()
                swap(&ids, &known)
                try database.transaction { () throws(SQLiteDatabase.Failure) in
                    try ids.check(in: database)
                    for (cell, figures) in bucket.cells {
                        let id = try ids.id(of: cell, in: database)
                        try Self.add(figures, of: id, .minute, at: start, in: database)
                        try Self.add(figures.shapes, of: id, at: start, &ids, in: database)
                    }
                }
                known = ids
            }
        }
    }

    private static let selectFigures = """
        SELECT \(CensusFigures.columns) FROM figures
        WHERE span = ? AND start = ? AND cell = ?
        """
    private static let insertFigures = """
        INSERT OR REPLACE INTO figures (span, start, cell, \(CensusFigures.columns))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static func add(
        _ figures: CensusFigures,
        of cell: Int64,
        _ span: Span,
        at start: Int64,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) {
        var figures = figures
        let place: [SQLiteDatabase.Value] = [
            .integer(span.rawValue), .integer(start), .integer(cell),
        ]
        try database.run(self.selectFigures, place) { figures.add(CensusFigures($0, from: 0)) }
        try database.run(
            self.insertFigures,
            place + [
                .integer(Int64(clamping: figures.requests)),
                .integer(Int64(clamping: figures.identified)),
                .bytes(figures.devices.isEmpty ? [] : figures.devices.redisBytes),
                .integer(Int64(clamping: figures.watched)),
                .integer(Int64(clamping: figures.serverErrors)),
            ]
        )
    }

    /// Records the paths that the rules distinguish from now on; known paths keep their start time.
    package func note(paths: Set<String>, at now: Timestamp) throws(Failure) {
        try self.database.use { database in
            let isFirst = try database.integer("SELECT count(*) FROM figures") == 0
            let since = isFirst ? 0 : now.secondsSinceEpoch
            var known: Set<String> = []
            try database.run("SELECT text FROM paths") { known.insert($0.text(0)) }
            guard known != paths else { return }
            try database.transaction { () throws(SQLiteDatabase.Failure) in
                for text in known.subtracting(paths) {
                    try database.run("DELETE FROM paths WHERE text = ?", [.text(text)])
                }
                for text in paths.subtracting(known) {
                    try database.run(
                        "INSERT INTO paths (text, since) VALUES (?, ?)",
                        [.text(text), .integer(since)]
                    )
                }
            }
        }
    }

    /// Deletes all device counts if the device IDs were hashed with a different key, because the
    /// devices could not be recognized by the new hashes.
    ///
    /// `digest` identifies the key without revealing it.
    ///
    /// - Returns: Whether the device IDs in the census were hashed with a different key.
    package func use(keyDigest digest: UInt64) throws(Failure) -> Bool {
        try self.database.use { database in
            let digest = Int64(bitPattern: digest)
            let known = try database.integer("SELECT digest FROM key")
            guard known != digest else { return false }
            self.memory.withLock { $0.forget() }
            try database.transaction { () throws(SQLiteDatabase.Failure) in
                try database.execute("UPDATE figures SET devices = x'', identified = 0")
                try database.execute("DELETE FROM key")
                try database.run("INSERT INTO key (digest) VALUES (?)", [.integer(digest)])
            }
            return known != nil
        }
    }

    /// Merges old minutes and hours, and deletes the oldest rows.
    package func rollUp(at now: Timestamp) throws(Failure) {
        let now = now.secondsSinceEpoch
        try self.database.use { database in
            let before = try database.changeCount
            // In most cases, no rows are merged or deleted.
            defer {
                if (try? database.changeCount) != before { self.forget() }
            }
            try Self.rollUp(.minute, into: .hour, before: now - Self.minutesKept, in: database)
            try Self.rollUp(.hour, into: .day, before: now - Self.hoursKept, in: database)
            for table in Self.tables {
                try database.run(
                    "DELETE FROM \(table) WHERE span = ? AND start < ?",
                    [.integer(Span.day.rawValue), .integer(now - Self.daysKept)]
                )
            }
            try self.shrink(database)
            try database.execute(
                "DELETE FROM cells WHERE id NOT IN (SELECT cell FROM figures); "
                    + "DELETE FROM shapes WHERE id NOT IN (SELECT shape FROM shape_figures); "
                    + "PRAGMA incremental_vacuum"
            )
        }
    }

    /// Merges the rows of a span into the next longer span.
    ///
    /// Only periods that end before `limit` are merged.
    private static func rollUp(
        _ span: Span,
        into whole: Span,
        before limit: Int64,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) {
        let end = whole.start(of: limit)
        var starts: Set<Int64> = []
        try database.run(
            "SELECT DISTINCT start FROM figures WHERE span = ? AND start < ?",
            [.integer(span.rawValue), .integer(end)]
        ) { starts.insert(whole.start(of: $0.integer(0))) }
        for start in starts.sorted() {
            let range: [SQLiteDatabase.Value] = [
                .integer(span.rawValue), .integer(start), .integer(start + whole.rawValue),
            ]
            var sums: [Int64: CensusFigures] = [:]
            try database.run(
                "SELECT cell, \(CensusFigures.columns) FROM figures "
                    + "WHERE span = ? AND start >= ? AND start < ?",
                range
            ) { sums[$0.integer(0), default: CensusFigures()].add(CensusFigures($0, from: 1)) }
            try database.transaction { () throws(SQLiteDatabase.Failure) in
                for (cell, figures) in sums {
                    try Self.add(figures, of: cell, whole, at: start, in: database)
                }
                try Self.rollUpShapes(range, into: whole, at: start, in: database)
                for table in Self.tables {
                    try database.run(
                        "DELETE FROM \(table) WHERE span = ? AND start >= ? AND start < ?",
                        range
                    )
                }
            }
        }
    }

    /// Clears the cached IDs and sums, because rows have been deleted.
    private func forget() {
        self.ids.withLock { $0 = CensusRowIDs() }
        self.memory.withLock { $0.forget() }
    }

    /// Deletes the oldest rows until the size is within the limit.
    private func shrink(_ database: SQLiteDatabase) throws(SQLiteDatabase.Failure) {
        while try Self.usedBytes(of: database) > self.limit {
            let oldest = "SELECT min(start) FROM figures"
            guard try database.integer("SELECT count(*) FROM figures") ?? 0 > 0 else { return }
            try database.execute("DELETE FROM shape_figures WHERE start <= (\(oldest))")
            try database.execute("DELETE FROM figures WHERE start = (\(oldest))")
        }
    }

    private static func usedBytes(
        of database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Int64 {
        let pages = try database.integer("PRAGMA page_count") ?? 0
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        return try (pages - free) * (database.integer("PRAGMA page_size") ?? 0)
    }

    /// The used size of the database in bytes.
    package func usedBytes() throws(Failure) -> Int64 {
        try self.database.use { try Self.usedBytes(of: $0) }
    }

    /// Deletes all request and device counts, and overwrites them in the file.
    package func purge() throws(Failure) {
        try self.database.use { database in
            self.forget()
            try database.execute(
                "PRAGMA secure_delete = ON; DELETE FROM figures; DELETE FROM cells; "
                    + "DELETE FROM shape_figures; DELETE FROM shapes; VACUUM; "
                    + "PRAGMA wal_checkpoint(TRUNCATE)"
            )
        }
    }
}

extension CensusFigures {
    static let columns = "requests, identified, devices, watched, server_errors"

    /// Reads the figures from a row.
    ///
    /// `column` is the index of the first column with figures.
    init(_ row: SQLiteDatabase.Row, from column: Int32) {
        self.init(
            requests: UInt64(clamping: row.integer(column)),
            identified: UInt64(clamping: row.integer(column + 1)),
            devices: HyperLogLog(redis: row.bytes(column + 2)) ?? HyperLogLog(),
            watched: UInt64(clamping: row.integer(column + 3)),
            serverErrors: UInt64(clamping: row.integer(column + 4))
        )
    }
}
