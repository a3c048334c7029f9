import GatePolicy

/// The words of clients, as they wrote them, end to end in one memory.
///
/// To read each new client on its event loop would make requests dear that nobody has seen before:
/// whoever fetches the census reads them.
package struct CensusWords: Sendable {
    /// Bytes of one client's words; of more, nothing is kept.
    private static let longest = 1_024
    /// Marks the index of a query parameter among those of header fields.
    private static let query: UInt8 = 0x80

    /// For each line the index of its name, its length in two bytes, the lower one first, and its value.
    private var bytes: [UInt8] = []
    private var start = 0
    private var isTooLong = false

    /// Bytes that it holds.
    var count: Int { self.bytes.count }

    mutating func begin() {
        self.start = self.bytes.count
        self.isTooLong = false
    }

    /// Ends the words of a client; `nil` for more than is kept.
    mutating func end() -> Range<Int>? {
        guard self.isTooLong else { return self.start..<self.bytes.count }
        self.bytes.removeLast(self.bytes.count - self.start)
        return nil
    }

    /// Adds a header line; `index`: of its name in `RuleSet.identityHeaderNames`.
    package mutating func addHeader(at index: UInt8, _ value: Span<UInt8>) {
        guard self.bytes.count - self.start + value.count < Self.longest else {
            self.isTooLong = true
            return
        }
        self.bytes.append(index)
        self.bytes.append(UInt8(truncatingIfNeeded: value.count))
        self.bytes.append(UInt8(truncatingIfNeeded: value.count >> 8))
        self.bytes.append(value)
    }

    /// Adds a query parameter; `index`: of its name in `RuleSet.identityQueryNames`.
    package mutating func addQuery(at index: Int, _ value: [UInt8]) {
        guard let index = UInt8(exactly: index), index < Self.query else {
            self.isTooLong = true
            return
        }
        self.addHeader(at: index | Self.query, value.span)
    }

    /// The client whose words are at a place; `nil` for one that says more than anybody wants to keep.
    func client(at place: Range<Int>, by ruleSet: RuleSet) -> CensusClient? {
        var claims = ruleSet.noClaims
        var index = place.lowerBound
        while index < place.upperBound {
            let name = self.bytes[index]
            let start = index + 3
            let end = start + Int(self.bytes[index + 1]) + Int(self.bytes[index + 2]) << 8
            if name & Self.query == 0 {
                claims.addHeader(at: Int(name), self.bytes.span.extracting(start..<end))
            } else {
                claims.addQuery(at: Int(name & ~Self.query), Array(self.bytes[start..<end]))
            }
            index = end
        }
        return CensusClient(ruleSet.identify(claims))
    }
}

/// Reads clients, and knows those that it has read before: most come again in each fetch, and to read one
/// costs twenty times as much as to find it.
struct CensusReader: Sendable {
    /// Clients that are known, and bytes of their words, before all are forgotten.
    private static let limit = 8_192
    private static let byteLimit = 1 << 20

    private var ruleSet: RuleSet?
    /// By the digests of their words, and of their event loops, which make them each with a seed of its own.
    private var known: [UInt64: CensusClient?] = [:]
    /// One object for all ways of writing the same client, so that it is found without its words.
    private var clients: Set<CensusClient> = []
    private var bytes = 0

    /// The client of a statement; `nil` for one that says more than anybody wants to keep.
    mutating func client(
        of statement: CensusHarvest.Statement,
        in harvest: CensusHarvest
    ) -> CensusClient? {
        if statement.ruleSet !== self.ruleSet { self.forget(for: statement.ruleSet) }
        let key = statement.digest ^ harvest.loop
        if let known = self.known[key] { return known }
        if self.known.count >= Self.limit || self.bytes + statement.words.count > Self.byteLimit {
            self.forget(for: statement.ruleSet)
        }
        let client = harvest.words.client(at: statement.words, by: statement.ruleSet)
            .map { self.clients.insert($0).memberAfterInsert }
        self.known[key] = .some(client)
        self.bytes += statement.words.count
        return client
    }

    /// Other rules may read the same words otherwise.
    private mutating func forget(for ruleSet: RuleSet) {
        self.ruleSet = ruleSet
        self.known.removeAll(keepingCapacity: true)
        self.clients.removeAll(keepingCapacity: true)
        self.bytes = 0
    }
}
