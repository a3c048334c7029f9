internal import GateCensus
internal import GatePolicy

/// The requests of cells by the shapes of their paths, up to a limit.
extension CensusStore {
    /// The maximum number of pairs of a cell and a shape per hour or day; the pairs with the most
    /// requests are kept.
    private static let shapesKept: Int64 = 8_000

    /// The pseudo shape ID for all requests that were counted while shapes were recorded.
    private static let covered: Int64 = 0
    /// The pseudo shape ID for requests whose shape is not kept.
    private static let shapeless: Int64 = -1

    /// Adds the requests of a cell to a minute.
    static func add(
        _ shapes: ShapeCounts,
        of cell: Int64,
        at start: Int64,
        _ ids: inout CensusRowIDs,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) {
        var figures = [(self.covered, shapes.covered), (self.shapeless, shapes.shapeless)]
        for (shape, requests) in shapes.counts {
            figures.append((try ids.id(of: shape, in: database), requests))
        }
        for (shape, requests) in figures where requests > 0 {
            try database.run(
                """
                INSERT INTO shape_figures (span, start, cell, shape, requests)
                VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET requests = requests + excluded.requests
                """,
                [
                    .integer(Span.minute.rawValue), .integer(start), .integer(cell),
                    .integer(shape), .integer(Int64(clamping: requests)),
                ]
            )
        }
    }

    /// Merges rows of a shorter span into a longer one; shapes beyond the limit are counted as
    /// shapeless.
    static func rollUpShapes(
        _ range: [SQLiteDatabase.Value],
        into whole: Span,
        at start: Int64,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) {
        try database.run(
            """
            INSERT INTO shape_figures (span, start, cell, shape, requests)
            SELECT ?4, ?5, cell,
                iif(shape > 0 AND rank > ?6, \(self.shapeless), shape) AS kept, sum(requests)
            FROM (
                SELECT cell, shape, sum(requests) AS requests,
                    row_number() OVER (PARTITION BY shape > 0 ORDER BY sum(requests) DESC) AS rank
                FROM shape_figures WHERE span = ?1 AND start >= ?2 AND start < ?3
                GROUP BY cell, shape)
            GROUP BY cell, kept
            ON CONFLICT DO UPDATE SET requests = requests + excluded.requests
            """,
            range + [.integer(whole.rawValue), .integer(start), .integer(self.shapesKept)]
        )
    }

    /// Calls a closure for each stored count of a period.
    static func readShapes(
        in range: Range<Int64>,
        of database: SQLiteDatabase,
        _ body: (_ cell: Int64, _ start: Int64, _ shapes: ShapeCounts) -> Void
    ) throws(SQLiteDatabase.Failure) {
        var shapes: [Int64: PathShape] = [:]
        try database.run("SELECT id, text FROM shapes") { row in
            shapes[row.integer(0)] = PathShape(text: row.text(1))
        }
        try database.run(
            "SELECT cell, start, shape, requests FROM shape_figures WHERE \(Self.inRange)",
            range.ends
        ) { row in
            let requests = UInt64(clamping: row.integer(3))
            let id = row.integer(2)
            let figures =
                id == self.covered
                ? ShapeCounts(covered: requests)
                : shapes[id].map { ShapeCounts(counts: [$0: requests]) }
                    ?? ShapeCounts(shapeless: requests)
            body(row.integer(0), row.integer(1), figures)
        }
    }
}
