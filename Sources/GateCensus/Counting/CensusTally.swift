/// The census of one event loop: what its requests are counted in until somebody fetches it.
///
/// A request is found by a digest of what its client wrote, which takes no text and no allocation. The
/// client is read only where that is new.
package final class CensusTally {
    /// The limits of its size, and the key that it hashes under.
    package struct Settings: Sendable {
        /// Cells of clients until somebody fetches them.
        package var maxCells: Int
        /// Sightings of devices likewise, of eight bytes each.
        package var maxSightings: Int
        /// The hash of device ids.
        package var hash: SipHash

        package init(maxCells: Int, maxSightings: Int = 1 << 18, hash: SipHash) {
            self.maxCells = maxCells
            self.maxSightings = maxSightings
            self.hash = hash
        }
    }

    /// The outcomes that are told apart: rules files alone make them, and the combinations of their paths.
    private static let outcomeLimit = 16_384
    /// Devices that were seen last, of which a repetition says nothing new.
    private static let recentCount = 4_096

    private let settings: Settings
    private var outcomes: [CensusOutcome] = []
    private var outcomePlaces: [CensusOutcome: Int] = [:]

    private var cells: [CensusCell] = []
    private var places: [CensusCell: Int] = [:]
    private var clientCells = 0
    private var requests: [UInt64] = []
    private var identified: [UInt64] = []
    private var sightings: [CensusHarvest.Sighting] = []
    private var recent: [UInt64]
    private var overflow: UInt64 = 0
    private var lostSightings: UInt64 = 0

    /// Digests and the cells that they stand for, where the digest says; 0: a free place.
    private var digests: [UInt64]
    private var digestCells: [UInt32]
    private var digestCount = 0
    /// Makes digests unpredictable, so that nobody can have two clients taken for one.
    package let seed = UInt64.random(in: .min ... .max)

    package init(_ settings: Settings) {
        self.settings = settings
        // A client may write the same thing in several ways, and half of the places stay free.
        var places = 1_024
        while places < settings.maxCells * 4 { places *= 2 }
        self.digests = Array(repeating: 0, count: places)
        self.digestCells = Array(repeating: 0, count: places)
        self.recent = Array(repeating: .max, count: Self.recentCount)
        self.sightings.reserveCapacity(Swift.min(settings.maxSightings, 4_096))
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

    /// The cell that a digest stands for; `nil` if its client must be read.
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

    /// Whether there is no cell for another client: then none needs to be read.
    package var isFull: Bool { self.clientCells >= self.settings.maxCells }

    /// The cell of a client that was read.
    ///
    /// `client` is `nil` for one that says too much to be kept; `outcome` is the place of what happened
    /// to its request; `digest`: what its cell is to be found by from now on; `nil`: nothing.
    package func cell(for client: CensusClient?, outcome: Int, digest: UInt64?) -> Int {
        guard let client else { return self.otherCell(outcome: outcome) }
        let cell = CensusCell(client: client, outcome: self.outcomes[outcome])
        let place: Int
        if let known = self.places[cell] {
            place = known
        } else {
            guard !self.isFull else { return self.otherCell(outcome: outcome) }
            self.clientCells += 1
            place = self.keep(cell)
        }
        if let digest, self.digestCount < self.digests.count / 2, self.cell(for: digest) == nil {
            self.keep(digest, for: place)
        }
        return place
    }

    /// The cell of all that there is no room for.
    package func otherCell(outcome: Int) -> Int {
        self.overflow += 1
        let cell = CensusCell(client: nil, outcome: self.outcomes[outcome])
        return self.places[cell] ?? self.keep(cell)
    }

    private func keep(_ cell: CensusCell) -> Int {
        self.places[cell] = self.cells.count
        self.cells.append(cell)
        self.requests.append(0)
        self.identified.append(0)
        return self.cells.count - 1
    }

    private func keep(_ digest: UInt64, for cell: Int) {
        guard digest != 0 else { return }
        let mask = self.digests.count - 1
        var place = Int(truncatingIfNeeded: digest) & mask
        while self.digests[place] != 0 { place = (place + 1) & mask }
        self.digests[place] = digest
        self.digestCells[place] = UInt32(cell)
        self.digestCount += 1
    }

    /// Counts a request that did not name its device.
    @inline(__always)
    package func count(_ cell: Int) {
        self.requests[cell] &+= 1
    }

    /// Counts a request and its device, of which nothing is kept but a mark of 20 bits.
    ///
    /// `digest` stands for the device, as unpredictably as that of a client: one that was seen a moment ago
    /// need not be hashed again.
    @inline(__always)
    package func count(_ cell: Int, device: Span<UInt8>, digest: UInt64) {
        self.requests[cell] &+= 1
        self.identified[cell] &+= 1
        let sight = digest ^ UInt64(truncatingIfNeeded: cell) &* 0x9E37_79B9_7F4A_7C15
        let place = Int(truncatingIfNeeded: sight &>> 20) & (Self.recentCount &- 1)
        if self.recent[place] != sight { self.see(device, in: cell, sight, at: place) }
    }

    private func see(_ device: Span<UInt8>, in cell: Int, _ sight: UInt64, at place: Int) {
        guard self.sightings.count < self.settings.maxSightings else {
            self.lostSightings &+= 1
            return
        }
        self.recent[place] = sight
        let mark = HyperLogLog.Mark(hash: self.settings.hash.hash(device))
        self.sightings.append(CensusHarvest.Sighting(cell: cell, mark))
    }

    /// Gives away what was counted, and begins anew.
    ///
    /// The cells stay as long as there is room for as many again, so that clients need not be read
    /// again each time; after a flood of made-up ones they are forgotten.
    package func take() -> CensusHarvest {
        let harvest = CensusHarvest(
            cells: self.cells,
            requests: self.requests,
            identified: self.identified,
            sightings: self.sightings,
            overflow: self.overflow,
            lostSightings: self.lostSightings
        )
        (self.overflow, self.lostSightings) = (0, 0)
        self.sightings = []
        self.sightings.reserveCapacity(
            Swift.min(harvest.sightings.count, self.settings.maxSightings)
        )
        for place in self.recent.indices { self.recent[place] = .max }
        if self.clientCells > self.settings.maxCells / 2
            || self.digestCount > self.digests.count / 4
        {
            self.forgetCells()
        } else {
            self.requests = Array(repeating: 0, count: self.cells.count)
            self.identified = self.requests
        }
        return harvest
    }

    private func forgetCells() {
        (self.cells, self.places, self.clientCells) = ([], [:], 0)
        (self.requests, self.identified) = ([], [])
        self.digests = Array(repeating: 0, count: self.digests.count)
        self.digestCount = 0
    }
}

@available(*, unavailable)
extension CensusTally: Sendable {}
