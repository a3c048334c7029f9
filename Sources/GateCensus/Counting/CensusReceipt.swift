/// Says as what a request was counted, to whoever sees its answer.
///
/// A number and no object, because each request carries one, and few need it.
package struct CensusReceipt: Sendable, Hashable {
    /// That of a request that was not counted.
    package static let none = CensusReceipt(harvest: 0, cell: 0)

    /// The number of the harvest in the upper half, the place of the cell in the lower one.
    private let rawValue: UInt64

    /// `harvest`: from 1 on.
    @inline(__always)
    init(harvest: UInt32, cell: Int) {
        self.rawValue = UInt64(harvest) << 32 | UInt64(UInt32(truncatingIfNeeded: cell))
    }

    var harvest: UInt32 { UInt32(truncatingIfNeeded: self.rawValue >> 32) }
    var cell: Int { Int(UInt32(truncatingIfNeeded: self.rawValue)) }
}

/// The cells of the last harvests of each event loop, for answers that came after their request was
/// fetched: a backend that is silent answers long after.
struct HarvestedCells: Sendable {
    private struct Harvest {
        let number: UInt32
        let cells: [CensusCell]
    }

    /// Cells of each event loop that are known, but for those of its last harvest.
    private let limit: Int
    /// By event loop, the oldest first.
    private var harvests: [UInt64: [Harvest]] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// The cell that a request was counted in; `nil` if that is too long ago.
    func cell(of receipt: CensusReceipt, in loop: UInt64) -> CensusCell? {
        let harvest = self.harvests[loop]?.last { $0.number == receipt.harvest }
        guard let harvest, harvest.cells.indices.contains(receipt.cell) else { return nil }
        return harvest.cells[receipt.cell]
    }

    /// Keeps the cells of a harvest by their places, and forgets the oldest.
    mutating func keep(_ cells: [CensusCell], of number: UInt32, in loop: UInt64) {
        guard !cells.isEmpty else { return }
        var kept = self.harvests.removeValue(forKey: loop) ?? []
        kept.append(Harvest(number: number, cells: cells))
        var count = kept.reduce(0) { $0 + $1.cells.count }
        while kept.count > 1, count > self.limit { count -= kept.removeFirst().cells.count }
        self.harvests[loop] = kept
    }
}
