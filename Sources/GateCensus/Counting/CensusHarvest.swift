import GatePolicy

/// The census of an event loop between two fetches: counted on the event loop, and processed
/// elsewhere.
package struct CensusHarvest: Sendable {
    /// The identity fields of a client as received, before parsing.
    struct Statement: Sendable {
        /// The range of the fields in `words`.
        let words: Range<Int>
        /// The digest of these fields and of the outcome.
        let digest: UInt64
        /// The rules for parsing the fields.
        let ruleSet: RuleSet
    }

    /// The requests from a client that have the same outcome.
    struct Cell: Sendable {
        /// The fields of the client; `nil` stands for all clients beyond the limit.
        let statement: Statement?
        /// The index of the outcome.
        let outcome: Int
        var requests: UInt64 = 0
        /// The number of requests that contain a device ID.
        var identified: UInt64 = 0
        /// The number of requests that failed in the backend.
        var serverErrors: UInt64 = 0
    }

    /// A device in a cell.
    struct Sighting: Sendable {
        /// The index of the cell in the high-order bits, and the mark in the low-order 20 bits.
        private let rawValue: UInt64

        init(cell: Int, _ mark: HyperLogLog.Mark) {
            self.rawValue = UInt64(cell) << 20 | UInt64(mark.rawValue)
        }

        var cell: Int { Int(self.rawValue >> 20) }
        var mark: HyperLogLog.Mark {
            HyperLogLog.Mark(rawValue: UInt32(truncatingIfNeeded: self.rawValue))
        }
    }

    /// The sequence number among the harvests of the event loop; never 0.
    let number: UInt32
    /// The identifier of the event loop.
    let loop: UInt64
    var outcomes: [CensusOutcome] = []
    var cells: [Cell] = []
    /// The number of requests that were counted in earlier harvests and then failed in the backend, by
    /// receipt.
    var lateErrors: [CensusReceipt: UInt64] = [:]
    var words = ClientFieldBuffer()
    var sightings: [Sighting] = []
    /// The clients in a cell, counted while the breaker needs them.
    var clients: [Sighting] = []
    /// The devices for the sample of denied devices.
    var devices: [DeviceSighting] = []
    /// The highest device hash that the sample includes.
    package var highestDevice = ReturnSample.allDevices
    var paths = PathLog()
    /// The number of sightings that exceeded the limit.
    var lostSightings: UInt64 = 0

    /// Creates an empty harvest.
    ///
    /// `loop` is the identifier of the event loop.
    init(number: UInt32 = 1, of loop: UInt64 = .random(in: .min ... .max)) {
        self.number = number
        self.loop = loop
    }

    /// Parses the clients.
    ///
    /// - Parameter reader: A cache of clients that occur repeatedly.
    /// - Returns: The figures of each cell, the cells by their indices, and the number of requests
    ///   that have no client because the limit was reached or the identity is too long.
    func read(by reader: inout CensusReader) -> (
        cells: [CensusCell: CensusFigures], places: [CensusCell], overflow: UInt64
    ) {
        var figures = self.cells.map { cell in
            let passes = self.outcomes[cell.outcome].kind < .require
            return CensusFigures(
                requests: cell.requests,
                identified: cell.identified,
                watched: passes ? cell.requests : 0,
                serverErrors: cell.serverErrors,
                shapes: ShapeCounts(covered: cell.statement == nil ? 0 : cell.requests)
            )
        }
        for sighting in self.sightings { figures[sighting.cell].devices.add(sighting.mark) }
        for client in self.clients { figures[client.cell].clients.add(client.mark) }
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

    /// A device that may be in the sample of denied devices, identified by the high-order bits of
    /// its hash.
    struct DeviceSighting: Sendable {
        let cell: Int
        let device: Int64
    }

    /// Returns the devices that a rule denied, and the devices for which `isKnown` returns `true`.
    ///
    /// The client fields of all other devices are not parsed.
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
