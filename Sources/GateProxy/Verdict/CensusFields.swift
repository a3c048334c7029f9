import GateCensus
import GatePolicy
import GateWire

/// The header fields that the census uses to identify clients.
struct CensusFields {
    /// The data about a client in a request head.
    struct Reading {
        /// The digest of all fields that describe the client.
        var digest: UInt64
        /// The range of the device ID in the head, empty unless there is exactly one device ID.
        var device: Range<Int> = 0..<0
        var deviceDigest: UInt64 = 0
        /// Whether a field states the version; if so, `User-Agent` is ignored.
        var statesVersion = false

        /// Adds the client's identity from the query to the digest.
        mutating func add(_ query: QueryParameters) {
            var bytes: [UInt8] = []
            query.append(to: &bytes)
            self.digest = unsafe bytes.withUnsafeBytes {
                guard let start = $0.baseAddress else { return self.digest }
                return unsafe CensusFields.mixed(self.digest, .max, start, $0.count)
            }
        }
    }

    /// The bit set of the fields that describe a client.
    ///
    /// Bit n represents the field whose role has index n.
    private let clients: UInt64
    private let versions: UInt64
    private let userAgent: UInt64
    private let devices: UInt64

    init(_ ruleSet: RuleSet) {
        let parts: [IdentityPart] = [.app, .platform, .channel, .version, .build, .osVersion]
        self.clients = UInt64(bits: parts.flatMap { ruleSet.headerIndices(of: $0) })
        self.versions = UInt64(bits: ruleSet.headerIndices(of: .version))
        self.userAgent = UInt64(bits: [ruleSet.userAgentIndex].compactMap(\.self))
        self.devices = UInt64(bits: ruleSet.headerIndices(of: .device))
    }

    /// Reads a head without parsing the field values; `start` is the initial state of the digest.
    func read(
        _ head: borrowing RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        from start: UInt64
    ) -> Reading {
        guard facts.identityFields != 0 else { return Reading(digest: start) }
        let lines = head.fields.lines.span
        return unsafe bytes.withUnsafeBytes { buffer in
            // Unwraps the pointer once, because an optional pointer would be checked for each value.
            guard let bytes = buffer.baseAddress else { return Reading(digest: start) }
            var reading = Reading(digest: start)
            var devices = 0
            var device = 0..<0
            for index in lines.indices {
                guard case .identity(let field) = lines[index].role else { continue }
                let bit: UInt64 = 1 &<< UInt64(field)
                let value = lines[index].value
                if self.clients & bit != 0 {
                    let part = unsafe bytes + value.lowerBound
                    let count = value.count
                    reading.digest = unsafe Self.mixed(reading.digest, field, part, count)
                    // A value that starts with a comma might contain no version.
                    if self.versions & bit != 0, count > 0,
                        unsafe part.load(as: UInt8.self) != ASCII.comma
                    {
                        reading.statesVersion = true
                    }
                }
                if self.devices & bit != 0 {
                    device = value
                    devices &+= 1
                }
            }
            if !reading.statesVersion, facts.identityFields & self.userAgent != 0 {
                for index in lines.indices {
                    guard case .identity(let field) = lines[index].role,
                        self.userAgent & 1 &<< UInt64(field) != 0
                    else { continue }
                    let value = lines[index].value
                    let part = unsafe bytes + value.lowerBound
                    reading.digest = unsafe Self.mixed(reading.digest, field, part, value.count)
                }
            }
            // Several device IDs, or a list of device IDs, count as no device ID.
            guard devices == 1, device.count <= IdentityLimits.lineLength else { return reading }
            let part = unsafe bytes + device.lowerBound
            guard unsafe !CommaSearch.finds(in: part, device.count) else { return reading }
            reading.device = device
            reading.deviceDigest = unsafe Self.mixed(start, 0, part, device.count)
            return reading
        }
    }

    /// Writes the field lines that are part of the digest.
    ///
    /// - Returns: Whether the output had space for all of them.
    func write(
        _ reading: Reading,
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        to output: inout OutputSpan<UInt8>
    ) -> Bool {
        let counted = reading.statesVersion ? self.clients : self.clients | self.userAgent
        let lines = head.fields.lines.span
        for index in lines.indices {
            guard case .identity(let field) = lines[index].role,
                counted & 1 &<< UInt64(field) != 0
            else { continue }
            let value = bytes.extracting(lines[index].value)
            guard ClientFieldBuffer.writeHeader(at: field, value, to: &output) else { return false }
        }
        return true
    }

    /// Returns the digest with a field mixed in.
    ///
    /// The field's index and the length precede the value, so that no value can imitate another field.
    @inline(__always)
    fileprivate static func mixed(
        _ digest: UInt64,
        _ field: UInt8,
        _ value: UnsafeRawPointer,
        _ count: Int
    ) -> UInt64 {
        let state = KeyedHash.mixed(digest, UInt64(field) | UInt64(truncatingIfNeeded: count) << 8)
        return unsafe KeyedHash.mixed(state, value, count)
    }
}

/// A search for commas, which can separate several values in a field.
enum CommaSearch {
    /// Returns whether the bytes contain a comma.
    ///
    /// Eight bytes are checked at a time, because device IDs are long.
    @inline(__always)
    static func finds(in value: UnsafeRawPointer, _ count: Int) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = 0
        while index &+ 8 <= count {
            let word = unsafe value.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let rest = word ^ (ones &* UInt64(ASCII.comma))
            // The result is nonzero if and only if one of the bytes is a comma.
            if (rest &- ones) & ~rest & (ones << 7) != 0 { return true }
            index &+= 8
        }
        while index < count {
            if unsafe value.load(fromByteOffset: index, as: UInt8.self) == ASCII.comma {
                return true
            }
            index &+= 1
        }
        return false
    }
}
