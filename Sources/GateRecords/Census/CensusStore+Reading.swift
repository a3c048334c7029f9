package import GateCensus
package import GatePolicy
internal import GateRules
private import Synchronization

/// Queries for sums.
extension CensusStore {
    /// The length in seconds of the period before the last stored minute in which counts can still be added.
    private static let unsettled: Int64 = 120
    /// The length in seconds of a week, the default period for evaluating floors.
    private static let usualSpan: Int64 = 7 * 86_400
    /// The length in seconds of the period for which the page shows devices by day.
    private static let usualAdoption: Int64 = 30 * 86_400
    /// An SQL condition for all rows of a period, which uses the index of spans and start times.
    static let inRange =
        "span IN (\(Span.minute.rawValue), \(Span.hour.rawValue), \(Span.day.rawValue)) "
        + "AND start >= ? AND start < ?"

    /// Returns the sums of all cells since a time, split at changes of the counted paths.
    ///
    /// - Parameters:
    ///   - start: The start of the period.
    ///   - end: The end of the period, exclusive, in whole minutes; `nil` means now.
    ///   - withShapes: Whether to include the path shapes, which are numerous.
    /// - Returns: The cells with their figures.
    /// - Throws: `Failure` if the file cannot be read.
    package func rows(
        since start: Timestamp,
        until end: Timestamp? = nil,
        withShapes: Bool = false
    ) throws(Failure) -> [CensusRow] {
        let start = start.secondsSinceEpoch
        return try self.database.use { database in
            var since: [String: Int64] = [:]
            try database.run("SELECT text, since FROM paths") {
                since[$0.text(0)] = $0.integer(1)
            }
            let changes = Set(since.values).sorted()
            let (sums, cells) = try self.memory.withLock { memory throws(SQLiteDatabase.Failure) in
                try memory.look(at: database, changes: changes)
                func isEmpty(_ range: Range<Int64>) throws(SQLiteDatabase.Failure) -> Bool {
                    try Self.isEmpty(range, in: database)
                }
                // A cached sum with shapes can also answer queries without shapes.
                var readsShapes = withShapes
                if !withShapes, end == nil {
                    readsShapes = try memory.rowsWithShapes.reaches(from: start, isEmpty: isEmpty)
                }
                func add(
                    _ range: Range<Int64>,
                    to sums: inout CensusSums
                ) throws(SQLiteDatabase.Failure) {
                    try Self.add(range, withShapes: readsShapes, changes, from: database, to: &sums)
                }
                var sums = CensusSums()
                if let end = end?.secondsSinceEpoch {
                    if start < end { try add(start..<end, to: &sums) }
                } else {
                    let settled = try Self.settled(after: start, in: database)
                    let past: WritableKeyPath<CensusCache, SumCache<CensusSums>> =
                        readsShapes ? \.rowsWithShapes : \.rows
                    sums = try memory[keyPath: past].value(
                        of: start..<settled,
                        isEmpty: isEmpty,
                        add: add
                    )
                    let recent = try memory.recent(since: settled, withShapes: readsShapes) {
                        () throws(SQLiteDatabase.Failure) in
                        var recent = CensusSums()
                        try add(settled..<Int64.max, to: &recent)
                        return recent
                    }
                    sums.add(recent)
                }
                if readsShapes, !withShapes { sums.forgetShapes() }
                return (sums, memory.cells)
            }
            let known = (0...changes.count).map { count in
                Set(since.filter { changes.prefix(count).contains($0.value) }.keys)
            }
            return sums.figures.compactMap { place, figures in
                cells[place.cell].map {
                    CensusRow(cell: $0, known: known[place.known], figures: figures)
                }
            }
        }
    }

    /// Caches the sums that the page loads first.
    func prepare(at now: Timestamp) throws(Failure) {
        _ = try self.rows(since: now.advanced(by: -Self.usualSpan), withShapes: true)
        for span in [CensusStore.Span.day.rawValue, Self.usualSpan, Self.daysKept] {
            let start = now.advanced(by: -span)
            _ = try self.series(since: start, step: TrafficReport.step(of: span))
        }
        _ = try self.adoption(since: now.advanced(by: -Self.usualAdoption), until: now)
    }

    /// Returns the requests of all cells since a time, without their devices, which are slow to
    /// read.
    ///
    /// A cell may occur twice. `step` is the number of seconds per point.
    func series(since start: Timestamp, step: Int64) throws(Failure) -> [CensusSeries] {
        let start = start.secondsSinceEpoch
        return try self.database.use { database in
            try self.memory.withLock { memory throws(SQLiteDatabase.Failure) in
                try memory.look(at: database, changes: nil)
                func add(
                    _ range: Range<Int64>,
                    to sums: inout CensusSeriesSums
                ) throws(SQLiteDatabase.Failure) {
                    // With `GROUP BY`, SQLite would sort hundreds of thousands of rows first.
                    try database.run(
                        "SELECT cell, start, requests FROM figures WHERE \(Self.inRange)",
                        range.ends
                    ) { row in
                        sums.add(
                            UInt64(clamping: row.integer(2)),
                            of: row.integer(0),
                            at: row.integer(1) / step * step
                        )
                    }
                }
                let settled = try Self.settled(after: start, in: database)
                let past = try memory.series[step, default: SumCache()].value(
                    of: start..<settled,
                    isEmpty: { range throws(SQLiteDatabase.Failure) in
                        try Self.isEmpty(range, in: database)
                    },
                    add: add
                )
                var recent = CensusSeriesSums()
                try add(settled..<Int64.max, to: &recent)
                // Merging `past` and `recent` would copy all of the cached sums.
                return [past, recent].flatMap { sums in
                    sums.requests.compactMap { id, requests in
                        memory.cells[id].map { CensusSeries(cell: $0, requests: requests) }
                    }
                }
            }
        }
    }

    static func cells(
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> [Int64: CensusCell] {
        var cells: [Int64: CensusCell] = [:]
        try database.run("SELECT id, text FROM cells") { row in
            cells[row.integer(0)] = CensusCell(text: row.text(1))
        }
        return cells
    }

    private static func add(
        _ range: Range<Int64>,
        withShapes: Bool,
        _ changes: [Int64],
        from database: SQLiteDatabase,
        to sums: inout CensusSums
    ) throws(SQLiteDatabase.Failure) {
        try database.run(
            "SELECT cell, start, \(CensusFigures.columns) FROM figures WHERE \(Self.inRange)",
            range.ends
        ) { row in
            let time = row.integer(1)
            sums.add(
                CensusFigures(row, from: 2),
                to: CensusSums.Place(cell: row.integer(0), known: changes.count { $0 <= time })
            )
        }
        guard withShapes else { return }
        try Self.readShapes(in: range, of: database) { cell, time, shapes in
            let place = CensusSums.Place(cell: cell, known: changes.count { $0 <= time })
            sums.add(shapes, to: place)
        }
    }

    /// Returns the end of the settled period, in which counts no longer change, but at least
    /// `start`.
    private static func settled(
        after start: Int64,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Int64 {
        let last = try database.integer(
            "SELECT max(start) FROM figures WHERE span = ?",
            [.integer(Span.minute.rawValue)]
        )
        return max(start, (last ?? 0) - self.unsettled)
    }

    private static func isEmpty(
        _ range: Range<Int64>,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Bool {
        try database.integer(
            "SELECT 1 FROM figures WHERE \(self.inRange) LIMIT 1",
            range.ends
        ) == nil
    }
}

extension Range<Int64> {
    /// The parameters of a statement with `CensusStore.inRange`.
    var ends: [SQLiteDatabase.Value] { [.integer(self.lowerBound), .integer(self.upperBound)] }
}
