/// The counts of one event loop since it was last asked.
package struct CensusHarvest: Sendable {
    /// A device in a cell.
    package struct Sighting: Sendable, Equatable {
        /// The cell's place above, the mark in the lower 20 bits.
        let rawValue: UInt64

        init(cell: Int, _ mark: HyperLogLog.Mark) {
            self.rawValue = UInt64(cell) << 20 | UInt64(mark.rawValue)
        }

        var cell: Int { Int(self.rawValue >> 20) }
        var mark: HyperLogLog.Mark {
            HyperLogLog.Mark(rawValue: UInt32(truncatingIfNeeded: self.rawValue))
        }
    }

    var cells: [CensusCell]
    var requests: [UInt64]
    var identified: [UInt64]
    var sightings: [Sighting]
    /// Requests that there was no cell for.
    var overflow: UInt64
    /// Sightings that there was no room for.
    var lostSightings: UInt64

    /// The figures of each cell, still without devices.
    var figures: [CensusFigures] {
        zip(self.requests, self.identified).map { CensusFigures(requests: $0, identified: $1) }
    }
}
