package import GatePolicy

/// The census of one event loop: what its requests are counted in until somebody fetches it.
///
/// A request is found by a digest of what its client wrote, which takes no text and no allocation. Where
/// that is new, the words are kept, for whoever fetches the census to read.
package final class CensusTally {
    /// The limits of its size, and the key that it hashes under.
    package struct Settings: Sendable {
        /// Cells of clients until somebody fetches them; twice as many ways of writing are told apart.
        package var maxCells: Int
        /// Sightings of devices likewise, of eight bytes each.
        package var maxSightings: Int
        /// The hash of device ids.
        package var hash: SipHash
        /// Whether devices are counted, and not requests alone.
        package var countsDevices: Bool

        /// Whether a sample of the devices that are refused is kept.
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

    /// The outcomes that are told apart: rules files alone make them, and the combinations of their paths.
    private static let outcomeLimit = 16_384
    /// Devices that were seen last, of which a repetition says nothing new.
    private static let recentCount = 4_096

    private let settings: Settings
    /// A client may write the same thing in several ways.
    private let maxStatements: Int
    private var outcomes: [CensusOutcome] = []
    private var outcomePlaces: [CensusOutcome: Int] = [:]

    /// The count since somebody fetched it.
    private var harvest = CensusHarvest()
    /// The cells of all that there is no room for, by their outcomes.
    private var otherCells: [Int: Int] = [:]
    private var recent: [UInt64]
    /// Whether clients are told apart by the place that they come from: the breaker watches.
    package var tellsClients = false

    /// Digests and the cells that they stand for, where the digest says; 0: a free place.
    private var digests: [UInt64]
    private var digestCells: [UInt32]
    private var digestCount = 0
    /// The highest hash of a device that is handed over for the sample; below zero: none is.
    private var highestDevice: Int64
    /// Devices that are handed over at once, at the most.
    private static let deviceLimit = 4_096
    /// Requests of harvests of before, by their receipts, whose answers are handed over at once.
    private static let lateLimit = 4_096

    /// Makes digests unpredictable, so that nobody can have two clients taken for one.
    package let seed = UInt64.random(in: .min ... .max)

    package init(_ settings: Settings) {
        self.settings = settings
        self.highestDevice = settings.samplesReturns ? ReturnSample.allDevices : -1
        self.maxStatements = settings.maxCells * 2
        // Half of the places stay free.
        var places = 1_024
        while places < self.maxStatements * 2 { places *= 2 }
        self.digests = Array(repeating: 0, count: places)
        self.digestCells = Array(repeating: 0, count: places)
        self.recent = Array(repeating: .max, count: Self.recentCount)
        self.harvest.sightings.reserveCapacity(Swift.min(settings.maxSightings, 4_096))
    }

    /// The place of an outcome, which verdicts keep.
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

    /// The cell that a digest stands for; `nil` for a new one.
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

    /// The cell of a client that is new, which the digest stands for from now on.
    ///
    /// - Parameters:
    ///   - digest: Stands for what the client wrote, and for the outcome.
    ///   - outcome: The place of what happened to the request.
    ///   - ruleSet: The rules that its words are read by.
    ///   - state: Adds its words; not called if there is no room for them.
    /// - Returns: The cell; that of all others if there is no room.
    package func newCell(
        for digest: UInt64,
        outcome: Int,
        by ruleSet: RuleSet,
        _ state: (inout CensusWords) -> Void
    ) -> Int {
        guard self.digestCount < self.maxStatements else { return self.otherCell(outcome) }
        self.harvest.words.begin()
        state(&self.harvest.words)
        let cell: Int
        if let words = self.harvest.words.end() {
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

    /// Keeps the path of a request until somebody reads it, as far as there is room.
    @inline(__always)
    package func notePath(of cell: Int, method: Span<UInt8>, target: Span<UInt8>) {
        self.harvest.paths.add(cell: cell, method: method, target: target)
    }

    /// Counts a request that did not name its device.
    @inline(__always)
    package func count(_ cell: Int, from place: () -> ClientPlace = { .unknown }) {
        self.harvest.cells[cell].requests &+= 1
        if self.tellsClients { self.seeClient(in: cell, from: place()) }
    }

    private func seeClient(in cell: Int, from client: ClientPlace) {
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

    /// Counts a request and its device, of which nothing is kept but a mark of 20 bits.
    ///
    /// `digest` stands for the device, as unpredictably as that of a client: one that was seen a moment ago
    /// need not be hashed again.
    @inline(__always)
    package func count(
        _ cell: Int,
        device: Span<UInt8>,
        digest: UInt64,
        from client: () -> ClientPlace = { .unknown }
    ) {
        self.harvest.cells[cell].requests &+= 1
        self.harvest.cells[cell].identified &+= 1
        let sight = digest ^ UInt64(truncatingIfNeeded: cell) &* 0x9E37_79B9_7F4A_7C15
        let place = Int(truncatingIfNeeded: sight &>> 20) & (Self.recentCount &- 1)
        if self.recent[place] != sight {
            self.see(device, in: cell, sight, at: place, self.tellsClients ? client() : nil)
        }
    }

    private func see(
        _ device: Span<UInt8>,
        in cell: Int,
        _ sight: UInt64,
        at place: Int,
        _ client: ClientPlace?
    ) {
        guard self.harvest.sightings.count < self.settings.maxSightings else {
            self.harvest.lostSightings &+= 1
            return
        }
        self.recent[place] = sight
        // Nobody wants to know which device it was.
        guard self.settings.countsDevices || client != nil else { return }
        let hash = self.settings.hash.hash(device)
        if let client { self.keep(client.mark(self.settings.hash, device: hash), in: cell) }
        guard self.settings.countsDevices else { return }
        let mark = HyperLogLog.Mark(hash: hash)
        self.harvest.sightings.append(CensusHarvest.Sighting(cell: cell, mark))
        let device = Int64(hash >> 1)
        if device <= self.highestDevice { self.sample(device, in: cell) }
    }

    /// Hands a device over; when there are too many, the upper half of all hashes is left out from now on.
    private func sample(_ device: Int64, in cell: Int) {
        self.harvest.devices.append(CensusHarvest.DeviceSighting(cell: cell, device: device))
        while self.harvest.devices.count >= Self.deviceLimit, self.highestDevice > 1 {
            self.highestDevice /= 2
            self.harvest.devices.removeAll { $0.device > self.highestDevice }
        }
    }

    /// Says as what a request was counted, so that its answer can be counted for the same.
    @inline(__always)
    package func receipt(for cell: Int) -> CensusReceipt {
        CensusReceipt(harvest: self.harvest.number, cell: cell)
    }

    /// Counts that the backend failed to answer a request, also if somebody has fetched the request since.
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

    /// Gives away what was counted, and begins anew: each time, each client says its words again.
    package func take() -> CensusHarvest {
        var harvest = self.harvest
        harvest.outcomes = self.outcomes
        harvest.highestDevice = max(self.highestDevice, 0)
        if !self.settings.countsDevices { harvest.forgetDevices() }
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
