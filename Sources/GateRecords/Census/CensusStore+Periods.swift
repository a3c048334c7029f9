internal import GateCensus
package import GatePolicy

/// The last time a rule matched, with the stored precision.
package struct LastMatch: Sendable, Equatable {
    /// The latest possible time of the match, which is the end of the stored period.
    package let at: Timestamp
    /// The uncertainty of `at`: how many seconds earlier the match may have occurred.
    package let within: Int64
}

/// Queries by period.
extension CensusStore {
    /// Calls `body` for each minute, hour and day since a time, with only one row at a time in
    /// memory.
    func forEachPeriod(
        since start: Timestamp,
        _ body: (CensusPeriod) -> Void
    ) throws(Failure) {
        try self.database.use { database in
            let cells = try Self.cells(in: database)
            try database.run(
                "SELECT span, start, cell, \(CensusFigures.columns) FROM figures WHERE start >= ?",
                [.integer(start.secondsSinceEpoch)]
            ) { row in
                guard let cell = cells[row.integer(2)] else { return }
                body(
                    CensusPeriod(
                        start: Timestamp(secondsSinceEpoch: row.integer(1)),
                        length: row.integer(0),
                        cell: cell,
                        figures: CensusFigures(row, from: 3)
                    )
                )
            }
        }
    }

    /// Calls `body` for each kind of client and path shape, with the end of the last minute, hour
    /// or day that has a request.
    func forEachLastShape(
        since start: Timestamp,
        _ body: (CensusCell, PathShape, _ end: Timestamp) -> Void
    ) throws(Failure) {
        try self.database.use { database in
            let cells = try Self.cells(in: database)
            try database.run(
                "SELECT cell, text, max(start + span) FROM shape_figures "
                    + "JOIN shapes ON shapes.id = shape WHERE start >= ? GROUP BY cell, shape",
                [.integer(start.secondsSinceEpoch)]
            ) { row in
                guard let cell = cells[row.integer(0)], let shape = PathShape(text: row.text(1))
                else { return }
                body(cell, shape, Timestamp(secondsSinceEpoch: row.integer(2)))
            }
        }
    }

    /// Returns the coverage of the census since a time.
    func coverage(since start: Timestamp, until now: Timestamp) throws(Failure) -> CensusCoverage {
        try self.database.use { database in
            // A row that spans `start` is not read, so the coverage starts at the end of that row at
            // the earliest.
            let cut = try database.integer(
                "SELECT start + span FROM figures WHERE start < ? AND start + span > ? "
                    + "ORDER BY start + span DESC LIMIT 1",
                [.integer(start.secondsSinceEpoch), .integer(start.secondsSinceEpoch)]
            )
            let isOlder = try database.integer(
                "SELECT 1 FROM figures WHERE start < ? LIMIT 1",
                [.integer(start.secondsSinceEpoch)]
            )
            var spans: [Range<Timestamp>] = []
            try database.run(
                "SELECT DISTINCT span, start FROM figures WHERE \(Self.inRange)",
                [.integer(start.secondsSinceEpoch), .integer(.max)]
            ) { row in
                let begin = Timestamp(secondsSinceEpoch: row.integer(1))
                spans.append(begin..<begin.advanced(by: row.integer(0)))
            }
            let known = cut.map { Timestamp(secondsSinceEpoch: $0) }
            return CensusCoverage(
                spans,
                from: isOlder == nil ? nil : known ?? start,
                isCut: known != nil,
                until: now
            )
        }
    }

    /// Returns the last match of each rule, by rule ID.
    package func lastMatches(at now: Timestamp) throws(Failure) -> [String: LastMatch] {
        try self.database.use { database in
            let cells = try Self.cells(in: database)
            var matches: [String: LastMatch] = [:]
            // SQLite takes `span` from the row with the maximum. Rows without requests contain only
            // late responses.
            try database.run(
                "SELECT cell, max(start + span), span FROM figures WHERE requests > 0 GROUP BY cell"
            ) { row in
                guard let rule = cells[row.integer(0)]?.outcome.rule else { return }
                let end = min(row.integer(1), now.secondsSinceEpoch)
                let match = LastMatch(
                    at: Timestamp(secondsSinceEpoch: end),
                    within: max(0, end - (row.integer(1) - row.integer(2)))
                )
                if matches[rule].map({ $0.at < match.at }) ?? true { matches[rule] = match }
            }
            return matches
        }
    }

    /// Returns, for each path pattern added after the census began, the time from which it is
    /// counted separately.
    func patternsSince() throws(Failure) -> [String: Timestamp] {
        try self.database.use { database in
            var since: [String: Timestamp] = [:]
            try database.run("SELECT text, since FROM paths WHERE since > 0") { row in
                since[row.text(0)] = Timestamp(secondsSinceEpoch: row.integer(1))
            }
            return since
        }
    }
}
