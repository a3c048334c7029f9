import GatePolicy

/// The cells for a period; their number is limited, regardless of what clients send.
///
/// A cell takes at most 16 KiB for its sketch and a few hundred bytes for its names. 2,000 cells
/// take 34 MB if each has seen more than a thousand devices, but usually far less than 1 MB.
package struct CensusBucket: Sendable {
    package private(set) var cells: [CensusCell: CensusFigures] = [:]
    /// The number of requests without a cell of their own, which were counted as `other`.
    package private(set) var overflow: UInt64 = 0
    /// The number of device sightings that exceeded the limit between two fetches.
    package private(set) var lostSightings: UInt64 = 0
    /// The maximum number of cells with a client, and of additional cells without a client.
    ///
    /// There is one cell without a client for each outcome.
    private let limit: Int
    /// The cells that were admitted, including cells admitted before the last `take()`.
    private var admitted: Set<CensusCell> = []
    /// The number of admitted cells with a client.
    private var clients = 0
    /// The number of admitted cells without a client.
    private var others = 0
    private var reader = CensusReader()
    /// The path shapes that were admitted, by cell.
    private var shapes: [CensusCell: Set<PathShape>] = [:]
    /// The number of shapes in `shapes`.
    private var shapeCount = 0
    private var harvested: HarvestedCells

    /// The maximum average number of shapes per cell.
    private static let shapesPerCell = 4
    /// The number of cells from past harvests that are kept for each event loop, as a multiple of
    /// `limit`.
    private static let harvestedPerCell = 2

    /// Creates an empty bucket.
    ///
    /// `limit` is the maximum number of cells with a client.
    package init(limit: Int) {
        self.limit = limit
        self.harvested = HarvestedCells(limit: limit * Self.harvestedPerCell)
    }

    package var isEmpty: Bool { self.cells.isEmpty }

    /// Adds the harvest of an event loop, starting with the largest cells.
    ///
    /// With this order, a flood of made-up versions does not displace the cells of real clients.
    ///
    /// - Returns: The cells of the harvest.
    @discardableResult
    package mutating func add(_ harvest: CensusHarvest) -> [CensusCell: CensusFigures] {
        var (cells, places, overflow) = harvest.read(by: &self.reader)
        self.limitShapes(of: &cells)
        for (receipt, count) in harvest.lateErrors {
            guard let cell = self.harvested.cell(of: receipt, in: harvest.loop) else { continue }
            cells[cell, default: CensusFigures()].serverErrors += count
        }
        self.harvested.keep(places, of: harvest.number, in: harvest.loop)
        self.overflow += overflow
        self.lostSightings += harvest.lostSightings
        for (cell, figures) in cells.sorted(by: { $0.value.requests > $1.value.requests }) {
            self.add(figures, to: cell)
        }
        return cells
    }

    package mutating func add(_ figures: CensusFigures, to cell: CensusCell) {
        if self.cells[cell]?.add(figures) != nil { return }
        if !self.admitted.contains(cell) {
            guard cell.client != nil else { return self.addOther(figures, to: cell) }
            guard self.clients < self.limit else {
                self.overflow += figures.requests
                var figures = figures
                figures.shapes = ShapeCounts()
                return self.add(figures, to: cell.other)
            }
            self.clients += 1
            self.admitted.insert(cell)
        }
        self.cells[cell] = figures
    }

    /// Removes shapes that exceed the limit, starting with the shapes that have the fewest
    /// requests, because made-up paths occur only once.
    private mutating func limitShapes(of cells: inout [CensusCell: CensusFigures]) {
        var news: [(cell: CensusCell, shape: PathShape, requests: UInt64)] = []
        for (cell, figures) in cells where !figures.shapes.counts.isEmpty {
            let known = self.shapes[cell]
            for (shape, requests) in figures.shapes.counts where known?.contains(shape) != true {
                news.append((cell, shape, requests))
            }
        }
        news.sort { $0.requests > $1.requests }
        let room = self.limit * Self.shapesPerCell - self.shapeCount
        for (cell, shape, _) in news.prefix(room) { self.shapes[cell, default: []].insert(shape) }
        self.shapeCount += min(news.count, room)
        for (cell, shape, _) in news.dropFirst(room) { cells[cell]?.shapes.forget(shape) }
    }

    private mutating func addOther(_ figures: CensusFigures, to cell: CensusCell) {
        let isFull = self.others >= self.limit
        if !isFull {
            self.others += 1
            self.admitted.insert(cell)
        }
        self.cells[isFull ? .nameless : cell, default: CensusFigures()].add(figures)
    }

    /// Returns the counts and resets them; admitted cells remain admitted.
    package mutating func take() -> CensusBucket {
        defer { (self.cells, self.overflow, self.lostSightings) = ([:], 0, 0) }
        return self
    }

    /// Resets the admitted cells and shapes at the start of a minute, so that other cells and
    /// shapes can be admitted.
    package mutating func beginAnew() {
        (self.admitted, self.clients, self.others) = ([], 0, 0)
        (self.shapes, self.shapeCount) = ([:], 0)
    }
}

extension CensusCell {
    /// The cell for requests whose client and outcome are unknown.
    fileprivate static let nameless = CensusCell(
        client: nil,
        outcome: CensusOutcome(paths: .none, kind: .allow, rule: "other")
    )
}
