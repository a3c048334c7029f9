internal import GateCensus
internal import GatePolicy
internal import GateRules

/// A cache of sums over settled periods.
///
/// The page queries the same week repeatedly, and a week takes 0.2 seconds to read.
struct CensusCache: Sendable {
    var rows = SumCache<CensusSums>()
    var rowsWithShapes = SumCache<CensusSums>()
    /// The sums over the time after the settled period, by whether they include shapes; cleared by
    /// the next write.
    private var recent: [Bool: (start: Int64, sums: CensusSums)] = [:]
    /// The cached series, by the number of seconds per point.
    var series: [Int64: SumCache<CensusSeriesSums>] = [:]
    /// The devices by day, with the second until which the counts of each day are valid.
    private var days: [Int64: (day: AdoptionDay, until: Int64)] = [:]
    private(set) var cells: [Int64: CensusCell] = [:]
    private var lastCell: Int64 = 0
    /// SQLite's `data_version`, which changes when another connection writes.
    private var version: Int64?
    /// The times at which the set of counted paths changed.
    private var changes: [Int64] = []

    /// Drops data that another connection has changed, and reads new cells.
    ///
    /// `changes` contains the times at which the set of counted paths changed; `nil` if the query
    /// does not depend on these times.
    mutating func look(
        at database: SQLiteDatabase,
        changes: [Int64]?
    ) throws(SQLiteDatabase.Failure) {
        let version = try database.integer("PRAGMA data_version")
        if version != self.version { self.forget() }
        self.version = version
        if let changes, changes != self.changes {
            (self.rows, self.rowsWithShapes, self.recent) = (SumCache(), SumCache(), [:])
            self.changes = changes
        }
        var (cells, last) = (self.cells, self.lastCell)
        // If reading fails, the next attempt reads all cells.
        (self.cells, self.lastCell) = ([:], 0)
        try database.run("SELECT id, text FROM cells WHERE id > ?", [.integer(last)]) { row in
            cells[row.integer(0)] = CensusCell(text: row.text(1))
            last = max(last, row.integer(0))
        }
        (self.cells, self.lastCell) = (cells, last)
    }

    mutating func forget() { self = CensusCache() }

    /// Prepares for writing data that starts at the given time: clears everything that the write changes.
    mutating func prepareForWrite(at second: Int64) {
        self.recent = [:]
        let ends = [self.rows.end, self.rowsWithShapes.end] + self.series.values.map(\.end)
        if ends.contains(where: { $0 > second }) { self.forget() }
        let day = Timestamp(secondsSinceEpoch: second).day
        if self.days[day]?.until == .max { self.days[day] = nil }
    }

    /// Returns the sums since the end of the settled period, calling `read` if they are not cached.
    mutating func recent<Failure>(
        since start: Int64,
        withShapes: Bool,
        read: () throws(Failure) -> CensusSums
    ) throws(Failure) -> CensusSums {
        if let known = self.recent[withShapes], known.start == start { return known.sums }
        let sums = try read()
        self.recent[withShapes] = sums.isSmall ? (start, sums) : nil
        return sums
    }

    /// Returns the devices of a day from the cache; `nil` if they are missing or out of date.
    func day(_ day: Int64, at second: Int64) -> AdoptionDay? {
        self.days[day].flatMap { second < $0.until ? $0.day : nil }
    }

    /// Caches the devices of a day.
    ///
    /// `end` is the second until which the counts are valid.
    mutating func keep(_ day: AdoptionDay, until end: Int64) {
        self.days[day.day] = (day, end)
    }
}

/// The sums of cells over a period.
struct CensusSums: CacheableSum {
    /// A cell in the period between two changes of the counted paths.
    struct Place: Hashable {
        let cell: Int64
        let known: Int
    }

    private static let mostBytes = 24 << 20

    private(set) var figures: [Place: CensusFigures] = [:]

    mutating func add(_ figures: CensusFigures, to place: Place) {
        self.figures[place, default: CensusFigures()].add(figures)
    }

    mutating func add(_ other: CensusSums) {
        for (place, figures) in other.figures { self.add(figures, to: place) }
    }

    mutating func add(_ shapes: ShapeCounts, to place: Place) {
        self.figures[place]?.shapes.add(shapes)
    }

    mutating func forgetShapes() {
        self.figures = self.figures.mapValues { figures in
            var figures = figures
            figures.shapes = ShapeCounts()
            return figures
        }
    }

    var isSmall: Bool {
        self.figures.values.reduce(0) { $0 + $1.devices.memoryBytes } <= Self.mostBytes
    }
}

/// The request counts of cells over time.
struct CensusSeriesSums: CacheableSum {
    private static let mostNumbers = 1 << 20

    private(set) var requests: [Int64: [Int64: UInt64]] = [:]

    mutating func add(_ count: UInt64, of cell: Int64, at time: Int64) {
        self.requests[cell, default: [:]][time, default: 0] += count
    }

    var isSmall: Bool {
        self.requests.values.reduce(0) { $0 + $1.count } <= Self.mostNumbers
    }
}

/// A sum over rows.
protocol CacheableSum: Sendable {
    /// Creates an empty sum.
    init()
    /// Whether the sum is small enough to stay in memory.
    var isSmall: Bool { get }
}

/// A cache of sums over settled periods.
struct SumCache<Value: CacheableSum>: Sendable {
    private struct Entry {
        let start: Int64
        var end: Int64
        var value: Value

        /// Returns whether the sum would be the same with a different start time.
        func isSum<Failure>(
            from other: Int64,
            isEmpty: (Range<Int64>) throws(Failure) -> Bool
        ) throws(Failure) -> Bool {
            let (first, last) = (min(self.start, other), max(self.start, other))
            guard first < last else { return true }
            guard self.end >= last else { return false }
            return try isEmpty(first..<last)
        }
    }

    private static var most: Int { 2 }

    /// The cached sums, most recently used first.
    private var entries: [Entry] = []

    /// Returns whether all rows since a time are cached, except for the latest rows.
    ///
    /// `isEmpty` returns whether a period has no rows.
    func reaches<Failure>(
        from start: Int64,
        isEmpty: (Range<Int64>) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        for entry in self.entries where try entry.isSum(from: start, isEmpty: isEmpty) {
            return true
        }
        return false
    }

    /// The end of the latest cached period.
    var end: Int64 { self.entries.map(\.end).max() ?? .min }

    /// Returns the sum over a period, reading only the part that is not cached.
    ///
    /// - Parameters:
    ///   - range: The period in seconds since 1970.
    ///   - isEmpty: Returns whether a period has no rows.
    ///   - add: Adds all rows of a period.
    /// - Returns: The sum.
    /// - Throws: The errors that `isEmpty` and `add` throw.
    mutating func value<Failure>(
        of range: Range<Int64>,
        isEmpty: (Range<Int64>) throws(Failure) -> Bool,
        add: (Range<Int64>, inout Value) throws(Failure) -> Void
    ) throws(Failure) -> Value {
        guard !range.isEmpty else { return Value() }
        var entry = Entry(start: range.lowerBound, end: range.lowerBound, value: Value())
        for (index, known) in self.entries.enumerated() where known.end <= range.upperBound {
            guard try known.isSum(from: range.lowerBound, isEmpty: isEmpty) else { continue }
            entry = known
            self.entries.remove(at: index)
            break
        }
        if entry.end < range.upperBound {
            try add(entry.end..<range.upperBound, &entry.value)
            entry.end = range.upperBound
        }
        if entry.value.isSmall {
            self.entries = Array(([entry] + self.entries).prefix(Self.most))
        }
        return entry.value
    }
}
