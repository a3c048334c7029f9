import GatePolicy

/// The identity fields of clients as received, in one contiguous buffer.
///
/// The fields are parsed after a fetch, because parsing each new client on its event loop would
/// make such requests expensive.
// Without this attribute, `writeHeader` would not be inlined into other modules.
@usableFromInline
package struct ClientFieldBuffer: Sendable {
    /// The maximum size of a client's fields, in bytes; longer fields are not stored.
    private static let longest = 1_024
    /// The flag that distinguishes the index of a query parameter from that of a header field.
    private static let query: UInt8 = 0x80

    /// For each line, the index of its name, its length in two bytes (low-order byte first), and
    /// its value.
    private var bytes: [UInt8] = []

    var count: Int { self.bytes.count }

    /// Adds the fields of a client.
    ///
    /// - Parameter write: Writes the fields, and returns `false` if they exceed the maximum size.
    /// - Returns: The range of the fields; `nil` if they exceed the maximum size.
    mutating func append(_ write: (inout OutputSpan<UInt8>) -> Bool) -> Range<Int>? {
        let start = self.bytes.count
        var fits = false
        // The space is reserved once, because a check before each append costs more than the append.
        self.bytes.append(addingCapacity: Self.longest) { output in
            fits = write(&output)
            if !fits { output.removeAll() }
        }
        return fits ? start..<self.bytes.count : nil
    }

    /// Writes a header line.
    ///
    /// - Parameters:
    ///   - index: The index of the header's name in `RuleSet.identityHeaderNames`.
    ///   - value: The value.
    ///   - output: The fields of the client.
    /// - Returns: Whether the line fits in `output`.
    @inlinable @inline(__always)
    package static func writeHeader(
        at index: UInt8,
        _ value: Span<UInt8>,
        to output: inout OutputSpan<UInt8>
    ) -> Bool {
        let count = value.count
        guard count + 3 <= output.freeCapacity else { return false }
        unsafe value.withUnsafeBytes { value in
            unsafe output.withUnsafeMutableBufferPointer { room, end in
                guard let room = room.baseAddress else { return }
                let start = unsafe room + end
                unsafe start[0] = index
                unsafe start[1] = UInt8(truncatingIfNeeded: count)
                unsafe start[2] = UInt8(truncatingIfNeeded: count >> 8)
                if let value = value.baseAddress {
                    unsafe UnsafeMutableRawPointer(start + 3)
                        .copyMemory(from: value, byteCount: count)
                }
                end += count + 3
            }
        }
        return true
    }

    /// Writes a query parameter.
    ///
    /// - Parameters:
    ///   - index: The index of the parameter's name in `RuleSet.identityQueryNames`.
    ///   - value: The value.
    ///   - output: The fields of the client.
    /// - Returns: `false` if the parameter does not fit in `output`, or if its index is too high.
    package static func writeQuery(
        at index: Int,
        _ value: [UInt8],
        to output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard let index = UInt8(exactly: index), index < Self.query else { return false }
        return self.writeHeader(at: index | Self.query, value.span, to: &output)
    }

    /// Returns the client whose fields are in a range; `nil` if a part of its identity is too long.
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

/// Parses clients, and caches them.
///
/// Most clients appear in one fetch after another, and parsing a client costs twenty times as much
/// as a lookup.
struct CensusReader: Sendable {
    /// The maximum number of cached clients, and the maximum size of their fields, in bytes; beyond
    /// either limit, the cache is emptied.
    private static let limit = 8_192
    private static let byteLimit = 1 << 20

    private var ruleSet: RuleSet?
    /// The clients by the digest of their fields, combined with their event loop, because each
    /// event loop has its own seed.
    private var known: [UInt64: CensusClient?] = [:]
    /// One object for all notations of a client, so that lookups do not have to compare strings.
    private var clients: Set<CensusClient> = []
    private var bytes = 0

    /// Returns the client of a statement; `nil` if a part of its identity is too long.
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

    /// Empties the cache for new rules, because other rules may parse the same fields
    /// differently.
    private mutating func forget(for ruleSet: RuleSet) {
        self.ruleSet = ruleSet
        self.known.removeAll(keepingCapacity: true)
        self.clients.removeAll(keepingCapacity: true)
        self.bytes = 0
    }
}
