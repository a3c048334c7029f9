/// The identifier of the cell in which a request was counted, for counting its response in the same
/// cell.
///
/// A receipt is a number and not an object, because every request has a receipt, but few requests
/// use it.
package struct CensusReceipt: Sendable, Hashable {
    /// The receipt of a request that was not counted.
    package static let none = CensusReceipt(harvest: 0, cell: 0)

    /// The number of the harvest in the upper half, and the index of the cell in the lower half.
    private let rawValue: UInt64

    /// Creates a receipt; the numbers of harvests start at 1.
    @inline(__always)
    init(harvest: UInt32, cell: Int) {
        self.rawValue = UInt64(harvest) << 32 | UInt64(UInt32(truncatingIfNeeded: cell))
    }

    var harvest: UInt32 { UInt32(truncatingIfNeeded: self.rawValue >> 32) }
    var cell: Int { Int(UInt32(truncatingIfNeeded: self.rawValue)) }
}

/// The cells of the last harvests of each event loop, for responses that arrive after the counts of
/// their requests were fetched, for example from a slow backend.
struct HarvestedCells: Sendable {
    private struct Harvest {
        let number: UInt32
        let cells: [CensusCell]
    }

    /// The maximum number of cells per event loop; the last harvest is always kept.
    private let limit: Int
    /// The harvests by event loop, oldest first.
    private var harvests: [UInt64: [Harvest]] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns the cell in which a request was counted; `nil` if the cell has been removed.
    func cell(of receipt: CensusReceipt, in loop: UInt64) -> CensusCell? {
        let harvest = self.harvests[loop]?.last { $0.number == receipt.harvest }
        guard let harvest, harvest.cells.indices.contains(receipt.cell) else { return nil }
        return harvest.cells[receipt.cell]
    }

    /// Stores the cells of a harvest by their indices, and removes the oldest harvests.
    mutating func keep(_ cells: [CensusCell], of number: UInt32, in loop: UInt64) {
        guard !cells.isEmpty else { return }
        var kept = self.harvests.removeValue(forKey: loop) ?? []
        kept.append(Harvest(number: number, cells: cells))
        var count = kept.reduce(0) { $0 + $1.cells.count }
        while kept.count > 1, count > self.limit { count -= kept.removeFirst().cells.count }
        self.harvests[loop] = kept
    }
}
