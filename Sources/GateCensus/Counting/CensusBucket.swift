import GatePolicy

/// The cells of some time, bounded in number whatever clients invent.
///
/// A cell takes at most 16 KiB for its sketch and some hundred bytes for its names: 2,000 of them are
/// 34 MB if each has seen more than a thousand devices, and mostly far below one.
package struct CensusBucket: Sendable {
    package private(set) var cells: [CensusCell: CensusFigures] = [:]
    /// Requests that there was no cell for, and that were counted as `other`.
    package private(set) var overflow: UInt64 = 0
    /// Sightings of devices that there was no room for until somebody fetched them.
    package private(set) var lostSightings: UInt64 = 0
    /// Cells of clients; those without one come on top, as many as there are outcomes, and no more
    /// than this.
    private let limit: Int
    /// The cells that there is room for, also after `take()`, and how many of each kind.
    private var admitted: Set<CensusCell> = []
    private var clients = 0
    private var others = 0
    private var reader = CensusReader()
    /// The shapes of paths that there is room for, of each cell, and how many there are.
    private var shapes: [CensusCell: Set<PathShape>] = [:]
    private var shapeCount = 0
    private var harvested: HarvestedCells

    /// Shapes for each cell, on average.
    private static let shapesPerCell = 4
    /// Cells of harvests that are over and known by their places, of each event loop.
    private static let harvestedPerCell = 2

    /// A bucket of nothing; `limit`: the most cells of clients.
    package init(limit: Int) {
        self.limit = limit
        self.harvested = HarvestedCells(limit: limit * Self.harvestedPerCell)
    }

    package var isEmpty: Bool { self.cells.isEmpty }

    /// Adds what an event loop has counted, the largest cells first: of a flood of made-up versions
    /// those are left out that nobody has.
    ///
    /// - Returns: The cells as they were counted.
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

    /// Forgets the shapes for which there is no room, those of the fewest requests first: of made-up
    /// paths each comes once.
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

    /// Gives away what was counted; the same cells go on.
    package mutating func take() -> CensusBucket {
        defer { (self.cells, self.overflow, self.lostSightings) = ([:], 0, 0) }
        return self
    }

    /// Lets other cells have their turn, at the beginning of a minute.
    package mutating func beginAnew() {
        (self.admitted, self.clients, self.others) = ([], 0, 0)
        (self.shapes, self.shapeCount) = ([:], 0)
    }

    /// Bytes of memory that its sketches hold.
    var heldBytes: Int { self.cells.values.reduce(0) { $0 + $1.devices.heldBytes } }
}

extension CensusCell {
    /// The cell of which nothing is known any more.
    fileprivate static let nameless = CensusCell(
        client: nil,
        outcome: CensusOutcome(paths: .none, kind: .allow, rule: "other")
    )
}
