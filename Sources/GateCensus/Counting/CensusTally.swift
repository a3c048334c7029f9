package import GatePolicy

/// The census of one event loop, which counts its requests until the next fetch.
///
/// A request is looked up by a digest of its client's fields, without creating a string or
/// allocating memory. If the digest is new, the fields are stored now, and parsed after the fetch.
package final class CensusTally {
    /// The limits of the census, and its hash key.
    package struct Settings: Sendable {
        /// The maximum number of cells with a client between two fetches; the clients' fields may
        /// occur in twice as many notations.
        package var maxCells: Int
        /// The maximum number of device sightings between two fetches; each takes eight bytes.
        package var maxSightings: Int
        /// The hash function for device IDs.
        package var hash: SipHash
        /// Whether devices are counted, in addition to requests.
        package var countsDevices: Bool

        /// Whether a sample of denied devices is kept.
        package var samplesReturns: Bool

        package init(
            maxCells: Int,
            maxSightings: Int = 1 << 18,
            hash: SipHash,
            countsDevices: Bool = true,
            samplesReturns: Bool = false
        ) {
            self.maxCells = maxCells
            self.maxSightings = maxSightings
            self.hash = hash
            self.countsDevices = countsDevices
            self.samplesReturns = countsDevices && samplesReturns
        }
    }

    /// The maximum number of outcomes, which depend only on the rules files and the combinations of
    /// their paths.
    private static let outcomeLimit = 16_384
    /// The number of recently seen device IDs to remember, so that they are not hashed again.
    private static let recentCount = 4_096

    private let settings: Settings
    /// The maximum number of statements, which exceeds the maximum number of cells, because a
    /// client may use several notations.
    private let maxStatements: Int
    private var outcomes: [CensusOutcome] = []
    private var outcomePlaces: [CensusOutcome: Int] = [:]

    /// The counts since the last fetch.
    private var harvest = CensusHarvest()
    /// The cells for all clients beyond the limit, by outcome.
    private var otherCells: [Int: Int] = [:]
    private var recent: [UInt64]
    /// Whether clients are distinguished by their origin, which the breaker needs while it monitors
    /// a change.
    package var countsClients = false

    /// The digests whose cells are in `digestCells`; 0 marks a free slot.
    private var digests: [UInt64]
    private var digestCells: [UInt32]
    private var digestCount = 0
    /// The highest device hash that the sample includes; negative if there is no sample.
    private var highestDevice: Int64
    /// The maximum number of devices for the sample between two fetches.
    private static let deviceLimit = 4_096
    /// The maximum number of cells from earlier harvests in which failures are counted between two
    /// fetches.
    private static let lateLimit = 4_096

    /// The seed of the digests, which makes them unpredictable, so that clients cannot cause collisions.
    package let seed = UInt64.random(in: .min ... .max)

    package init(_ settings: Settings) {
        self.settings = settings
        self.highestDevice = settings.samplesReturns ? ReturnSample.allDevices : -1
        self.maxStatements = settings.maxCells * 2
        // Half of the slots remain free.
        var places = 1_024
        while places < self.maxStatements * 2 { places *= 2 }
        self.digests = Array(repeating: 0, count: places)
        self.digestCells = Array(repeating: 0, count: places)
        self.recent = Array(repeating: .max, count: Self.recentCount)
        self.harvest.sightings.reserveCapacity(Swift.min(settings.maxSightings, 4_096))
    }

    /// Returns the index of an outcome; verdicts store this index.
    package func place(of outcome: CensusOutcome) -> Int {
        if let place = self.outcomePlaces[outcome] { return place }
        guard self.outcomes.count < Self.outcomeLimit else {
            let coarse = CensusOutcome(paths: .none, kind: outcome.kind, rule: "other")
            return self.outcomePlaces[coarse] ?? self.keep(coarse)
        }
        return self.keep(outcome)
    }

    private func keep(_ outcome: CensusOutcome) -> Int {
        self.outcomePlaces[outcome] = self.outcomes.count
        self.outcomes.append(outcome)
        return self.outcomes.count - 1
    }

    /// Returns the cell for a digest; `nil` if the digest is new.
    @inline(__always)
    package func cell(for digest: UInt64) -> Int? {
        let mask = self.digests.count &- 1
        var place = Int(truncatingIfNeeded: digest) & mask
        while true {
            let known = self.digests[place]
            if known == digest { return digest == 0 ? nil : Int(self.digestCells[place]) }
            if known == 0 { return nil }
            place = (place &+ 1) & mask
        }
    }

    /// Adds a cell for a new client; the digest identifies the client from then on.
    ///
    /// - Parameters:
    ///   - digest: The digest of the client's fields and of the outcome.
    ///   - outcome: The index of the outcome.
    ///   - ruleSet: The rules for parsing the fields.
    ///   - write: Writes the fields, and returns `false` if they are too long; not called beyond the limit.
    /// - Returns: The cell; beyond the limit, the shared cell for the outcome.
    package func newCell(
        for digest: UInt64,
        outcome: Int,
        by ruleSet: RuleSet,
        _ write: (inout OutputSpan<UInt8>) -> Bool
    ) -> Int {
        guard self.digestCount < self.maxStatements else { return self.otherCell(outcome) }
        let cell: Int
        if let words = self.harvest.words.append(write) {
            cell = self.keep(
                CensusHarvest.Cell(
                    statement: CensusHarvest.Statement(
                        words: words,
                        digest: digest,
                        ruleSet: ruleSet
                    ),
                    outcome: outcome
                )
            )
        } else {
            cell = self.otherCell(outcome)
        }
        self.keep(digest, for: cell)
        return cell
    }

    private func otherCell(_ outcome: Int) -> Int {
        if let cell = self.otherCells[outcome] { return cell }
        let cell = self.keep(CensusHarvest.Cell(statement: nil, outcome: outcome))
        self.otherCells[outcome] = cell
        return cell
    }

    private func keep(_ cell: CensusHarvest.Cell) -> Int {
        self.harvest.cells.append(cell)
        return self.harvest.cells.count - 1
    }

    private func keep(_ digest: UInt64, for cell: Int) {
        self.digestCount += 1
        guard digest != 0 else { return }
        let mask = self.digests.count - 1
        var place = Int(truncatingIfNeeded: digest) & mask
        while self.digests[place] != 0 { place = (place + 1) & mask }
        self.digests[place] = digest
        self.digestCells[place] = UInt32(cell)
    }

    /// Stores the path of a request until the next fetch, if there is capacity.
    @inline(__always)
    package func recordPath(of cell: Int, method: Span<UInt8>, target: Span<UInt8>) {
        self.harvest.paths.add(cell: cell, method: method, target: target)
    }

    /// Counts a request that contains no device ID.
    @inline(__always)
    package func count(_ cell: Int, from place: () -> ClientAddressKey = { .unknown }) {
        self.harvest.cells[cell].requests &+= 1
        if self.countsClients { self.seeClient(in: cell, from: place()) }
    }

    private func seeClient(in cell: Int, from client: ClientAddressKey) {
        let mark = UInt64(truncatingIfNeeded: cell) &* 0x9E37_79B9_7F4A_7C15
        let sight = client.digest ^ self.seed ^ mark
        let place = Int(truncatingIfNeeded: sight &>> 20) & (Self.recentCount &- 1)
        guard self.recent[place] != sight else { return }
        self.recent[place] = sight
        self.keep(client.mark(self.settings.hash, device: nil), in: cell)
    }

    private func keep(_ client: HyperLogLog.Mark, in cell: Int) {
        guard self.harvest.clients.count < self.settings.maxSightings else { return }
        self.harvest.clients.append(CensusHarvest.Sighting(cell: cell, client))
    }

    /// Counts a request and its device, of which only a 20-bit mark is stored.
    ///
    /// `digest` identifies the device, and must be as unpredictable as the digest of a client. The
    /// ID of a device that was seen recently need not be hashed again.
    @inline(__always)
    package func count(
        _ cell: Int,
        device: Span<UInt8>,
        digest: UInt64,
        from client: () -> ClientAddressKey = { .unknown }
    ) {
        self.harvest.cells[cell].requests &+= 1
        self.harvest.cells[cell].identified &+= 1
        let sight = digest ^ UInt64(truncatingIfNeeded: cell) &* 0x9E37_79B9_7F4A_7C15
        let place = Int(truncatingIfNeeded: sight &>> 20) & (Self.recentCount &- 1)
        if self.recent[place] != sight {
            self.see(device, in: cell, sight, at: place, self.countsClients ? client() : nil)
        }
    }

    private func see(
        _ device: Span<UInt8>,
        in cell: Int,
        _ sight: UInt64,
        at place: Int,
        _ client: ClientAddressKey?
    ) {
        guard self.harvest.sightings.count < self.settings.maxSightings else {
            self.harvest.lostSightings &+= 1
            return
        }
        self.recent[place] = sight
        // The hash is needed only for counting devices or clients.
        guard self.settings.countsDevices || client != nil else { return }
        let hash = self.settings.hash.hash(device)
        if let client { self.keep(client.mark(self.settings.hash, device: hash), in: cell) }
        guard self.settings.countsDevices else { return }
        let mark = HyperLogLog.Mark(hash: hash)
        self.harvest.sightings.append(CensusHarvest.Sighting(cell: cell, mark))
        let device = Int64(hash >> 1)
        if device <= self.highestDevice { self.sample(device, in: cell) }
    }

    /// Adds a device to the sample.
    ///
    /// If there are too many devices, devices with hashes in the upper half are excluded from then
    /// on.
    private func sample(_ device: Int64, in cell: Int) {
        self.harvest.devices.append(CensusHarvest.DeviceSighting(cell: cell, device: device))
        while self.harvest.devices.count >= Self.deviceLimit, self.highestDevice > 1 {
            self.highestDevice /= 2
            self.harvest.devices.removeAll { $0.device > self.highestDevice }
        }
    }

    /// Returns the receipt for a request, which allows its response to be counted in the same cell.
    @inline(__always)
    package func receipt(for cell: Int) -> CensusReceipt {
        CensusReceipt(harvest: self.harvest.number, cell: cell)
    }

    /// Counts a request that failed in the backend, even if the cell of the request has already
    /// been fetched.
    package func countServerError(_ receipt: CensusReceipt) {
        guard receipt != .none else { return }
        if receipt.harvest == self.harvest.number {
            guard self.harvest.cells.indices.contains(receipt.cell) else { return }
            self.harvest.cells[receipt.cell].serverErrors += 1
        } else if let known = self.harvest.lateErrors[receipt] {
            self.harvest.lateErrors[receipt] = known + 1
        } else if self.harvest.lateErrors.count < Self.lateLimit {
            self.harvest.lateErrors[receipt] = 1
        }
    }

    /// Returns the counts and starts new counts, in which the fields of each client are stored
    /// again.
    package func take() -> CensusHarvest {
        var harvest = self.harvest
        harvest.outcomes = self.outcomes
        harvest.highestDevice = max(self.highestDevice, 0)
        if !self.settings.countsDevices {
            for place in harvest.cells.indices { harvest.cells[place].identified = 0 }
        }
        self.harvest = CensusHarvest(number: harvest.number &+ 1, of: harvest.loop)
        self.harvest.paths = PathLog(expecting: harvest.paths)
        self.harvest.sightings.reserveCapacity(
            Swift.min(harvest.sightings.count, self.settings.maxSightings)
        )
        self.otherCells = [:]
        self.digestCount = 0
        for place in self.digests.indices { self.digests[place] = 0 }
        for place in self.recent.indices { self.recent[place] = .max }
        return harvest
    }
}

@available(*, unavailable)
extension CensusTally: Sendable {}
