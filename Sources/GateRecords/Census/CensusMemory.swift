internal import GateCensus
internal import GateRules

/// The sums that a census was asked for, up to a time after which it still grows: somebody at the page asks for the
/// same week again and again, and to read it takes a fifth of a second.
struct CensusMemory: Sendable {
    var rows = PastSums<CensusSums>()
    var rowsWithShapes = PastSums<CensusSums>()
    /// By the seconds that are summed up.
    var series: [Int64: PastSums<CensusSeriesSums>] = [:]
    private(set) var cells: [Int64: CensusCell] = [:]
    private var lastCell: Int64 = 0
    /// Counts what other connections have written.
    private var version: Int64?
    /// The times since which paths were known.
    private var changes: [Int64] = []

    /// Forgets what others have changed, and reads the cells that are new.
    ///
    /// `changes`: the times since which paths were known; `nil`: nobody asks for them.
    mutating func look(
        at database: SQLiteDatabase,
        changes: [Int64]?
    ) throws(SQLiteDatabase.Failure) {
        let version = try database.integer("PRAGMA data_version")
        if version != self.version { self.forget() }
        self.version = version
        if let changes, changes != self.changes {
            (self.rows, self.rowsWithShapes) = (PastSums(), PastSums())
            self.changes = changes
        }
        var (cells, last) = (self.cells, self.lastCell)
        // Of a file that cannot be read now, all are read the next time.
        (self.cells, self.lastCell) = ([:], 0)
        try database.run("SELECT id, text FROM cells WHERE id > ?", [.integer(last)]) { row in
            cells[row.integer(0)] = CensusCell(text: row.text(1))
            last = max(last, row.integer(0))
        }
        (self.cells, self.lastCell) = (cells, last)
    }

    mutating func forget() { self = CensusMemory() }

    /// Forgets everything if there is something of a second, or of later ones, among it.
    mutating func forget(ifItReachesBeyond second: Int64) {
        let ends = [self.rows.end, self.rowsWithShapes.end] + self.series.values.map(\.end)
        if ends.contains(where: { $0 > second }) { self.forget() }
    }
}

/// The figures of cells over some time.
struct CensusSums: SummedUp {
    /// A cell in the time between two changes of paths.
    struct Place: Hashable {
        let cell: Int64
        let known: Int
    }

    private static let mostBytes = 24 << 20

    private(set) var figures: [Place: CensusFigures] = [:]

    mutating func add(_ figures: CensusFigures, to place: Place) {
        self.figures[place, default: CensusFigures()].add(figures)
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
        self.figures.values.reduce(0) { $0 + $1.devices.heldBytes } <= Self.mostBytes
    }
}

/// The requests of cells over time.
struct CensusSeriesSums: SummedUp {
    private static let mostNumbers = 1 << 20

    private(set) var requests: [Int64: [Int64: UInt64]] = [:]

    mutating func add(_ count: UInt64, of cell: Int64, at time: Int64) {
        self.requests[cell, default: [:]][time, default: 0] += count
    }

    var isSmall: Bool {
        self.requests.values.reduce(0) { $0 + $1.count } <= Self.mostNumbers
    }
}

/// A sum of rows.
protocol SummedUp: Sendable {
    /// A sum of none.
    init()
    /// Whether there is memory for it, for as long as nobody asks.
    var isSmall: Bool { get }
}

/// Sums over times that are over.
struct PastSums<Value: SummedUp>: Sendable {
    private struct Entry {
        let start: Int64
        var end: Int64
        var value: Value

        /// Whether it would be the same from another second on.
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

    /// Those that were asked for last, the latest first.
    private var entries: [Entry] = []

    /// Whether all is remembered from a second on, but for what came last.
    ///
    /// `isEmpty`: says whether there is nothing in a range.
    func reaches<Failure>(
        from start: Int64,
        isEmpty: (Range<Int64>) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        for entry in self.entries where try entry.isSum(from: start, isEmpty: isEmpty) {
            return true
        }
        return false
    }

    /// The end of all that is remembered.
    var end: Int64 { self.entries.map(\.end).max() ?? .min }

    /// The sum over a range of seconds, of which only what is not remembered is read.
    ///
    /// - Parameters:
    ///   - range: The range.
    ///   - isEmpty: Says whether there is nothing in a range.
    ///   - add: Adds everything in a range.
    /// - Returns: The sum.
    /// - Throws: What these throw.
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
