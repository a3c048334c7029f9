import GatePolicy

/// The census of an event loop between two fetches: cells are counted there as they come, and taken
/// apart elsewhere.
package struct CensusHarvest: Sendable {
    /// A client's own words, which are not read yet.
    struct Statement: Sendable {
        /// The place of the words.
        let words: Range<Int>
        /// Stands for them, and for the outcome.
        let digest: UInt64
        /// The rules that they are read by.
        let ruleSet: RuleSet
    }

    /// The requests of a client with an outcome.
    struct Cell: Sendable {
        /// `nil` for all that there was no room for.
        let statement: Statement?
        /// The place of the outcome.
        let outcome: Int
        var requests: UInt64 = 0
        /// Those of them that named their device.
        var identified: UInt64 = 0
        /// Those of them that the backend failed to answer.
        var serverErrors: UInt64 = 0
    }

    /// A device in a cell.
    struct Sighting: Sendable {
        /// The cell's place above, the mark in the lower 20 bits.
        private let rawValue: UInt64

        init(cell: Int, _ mark: HyperLogLog.Mark) {
            self.rawValue = UInt64(cell) << 20 | UInt64(mark.rawValue)
        }

        var cell: Int { Int(self.rawValue >> 20) }
        var mark: HyperLogLog.Mark {
            HyperLogLog.Mark(rawValue: UInt32(truncatingIfNeeded: self.rawValue))
        }
    }

    /// The place among those of its event loop; never 0.
    let number: UInt32
    /// Tells the event loop from others.
    let loop: UInt64
    var outcomes: [CensusOutcome] = []
    var cells: [Cell] = []
    /// Requests of harvests of before that the backend failed to answer since.
    var lateErrors: [CensusReceipt: UInt64] = [:]
    var words = CensusWords()
    var sightings: [Sighting] = []
    /// Clients in a cell, likewise, while somebody wants to know.
    var clients: [Sighting] = []
    /// Devices of the sample of those that were refused, and are looked for.
    var devices: [DeviceSighting] = []
    /// The highest hash of a device that was looked at.
    package var highestDevice = ReturnSample.allDevices
    var paths = PathLog()
    /// Sightings that there was no room for.
    var lostSightings: UInt64 = 0

    /// `loop`: tells the event loop from others.
    init(number: UInt32 = 1, of loop: UInt64 = .random(in: .min ... .max)) {
        self.number = number
        self.loop = loop
    }

    /// Says of no request that it named a device.
    mutating func forgetDevices() {
        for place in self.cells.indices { self.cells[place].identified = 0 }
    }

    /// Reads the clients.
    ///
    /// - Parameter reader: Knows those that come again.
    /// - Returns: The figures of each cell, the cells by their places, and how many requests are of no
    ///   client because there was no room for it, or because it says too much.
    func read(by reader: inout CensusReader) -> (
        cells: [CensusCell: CensusFigures], places: [CensusCell], overflow: UInt64
    ) {
        var figures = self.cells.map { cell in
            let passes = self.outcomes[cell.outcome].kind < .require
            return CensusFigures(
                requests: cell.requests,
                identified: cell.identified,
                watched: passes ? cell.requests : 0,
                serverErrors: cell.serverErrors
            )
        }
        for sighting in self.sightings { figures[sighting.cell].devices.add(sighting.mark) }
        for client in self.clients { figures[client.cell].clients.add(client.mark) }
        for (index, cell) in self.cells.enumerated() where cell.statement != nil {
            figures[index].shapes = ShapeCounts(covered: cell.requests)
        }
        self.paths.read { figures[$0].shapes.add($1) }
        var read: [CensusCell: CensusFigures] = [:]
        var places: [CensusCell] = []
        places.reserveCapacity(self.cells.count)
        var overflow: UInt64 = 0
        for (cell, counted) in zip(self.cells, figures) {
            var figures = counted
            let client = cell.statement.flatMap { reader.client(of: $0, in: self) }
            if client == nil {
                overflow += figures.requests
                figures.shapes = ShapeCounts()
            }
            let place = CensusCell(client: client, outcome: self.outcomes[cell.outcome])
            read[place, default: CensusFigures()].add(figures)
            places.append(place)
        }
        return (read, places, overflow)
    }

    /// A device that may be in the sample of those that were refused, by the upper bits of its hash.
    struct DeviceSighting: Sendable {
        let cell: Int
        let device: Int64
    }

    /// The devices that were refused, and those that are known to have been; of all others, nobody reads
    /// the words.
    package func deviceSightings(where isKnown: (Int64) -> Bool) -> [ReturnSample.Sighting] {
        var cells: [Int: CensusCell] = [:]
        return self.devices.compactMap { sighting in
            let cell = self.cells[sighting.cell]
            let outcome = self.outcomes[cell.outcome]
            guard outcome.kind == .require || isKnown(sighting.device),
                let statement = cell.statement
            else { return nil }
            let place =
                cells[sighting.cell]
                ?? CensusCell(
                    client: self.words.client(at: statement.words, by: statement.ruleSet),
                    outcome: outcome
                )
            cells[sighting.cell] = place
            return ReturnSample.Sighting(device: sighting.device, cell: place)
        }
    }
}
