import GateCensus
import GatePolicy

/// The header fields that tell the census one client from another.
struct CensusFields {
    /// What a head says of its client.
    struct Reading {
        /// Stands for everything that the client says of its kind.
        var digest: UInt64
        /// The one value that names its device; empty if none does.
        var device: Range<Int> = 0..<0
    }

    /// One bit for each field, by the index of its role.
    private let clients: UInt64
    private let versions: UInt64
    private let userAgent: UInt64
    private let devices: UInt64

    init(_ ruleSet: RuleSet) {
        func bits(_ indices: [Int]) -> UInt64 { indices.reduce(0) { $0 | 1 << UInt64($1) } }
        let parts: [IdentityPart] = [.app, .platform, .channel, .version, .build, .osVersion]
        self.clients = bits(parts.flatMap { ruleSet.headerIndices(of: $0) })
        self.versions = bits(ruleSet.headerIndices(of: .version))
        self.userAgent = bits([ruleSet.userAgentIndex].compactMap(\.self))
        self.devices = bits(ruleSet.headerIndices(of: .device))
    }

    /// Reads a head, without a look at what it means.
    ///
    /// `start`: what the digest begins with.
    func read(
        _ head: borrowing RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        from start: UInt64
    ) -> Reading {
        var reading = Reading(digest: start)
        guard facts.identityFields != 0 else { return reading }
        // Nobody looks at a User-Agent where a version is stated.
        let isStated = facts.identityFields & self.versions != 0
        let counted = isStated ? self.clients : self.clients | self.userAgent
        var deviceLines = 0
        let lines = head.fields.lines.span
        for index in lines.indices {
            guard case .identity(let field) = lines[index].role else { continue }
            let bit: UInt64 = 1 << UInt64(field)
            let value = lines[index].value
            if counted & bit != 0 {
                Self.add(bytes.extracting(value), of: field, to: &reading.digest)
            }
            if self.devices & bit != 0 {
                reading.device = value
                deviceLines &+= 1
            }
        }
        // Two devices, or a list of them, are none.
        if deviceLines > 1 || reading.device.count > IdentityLimits.lineLength
            || !Self.isOne(bytes.extracting(reading.device))
        {
            reading.device = 0..<0
        }
        return reading
    }

    private static func isOne(_ value: Span<UInt8>) -> Bool {
        for index in value.indices where value[index] == ASCII.comma { return false }
        return true
    }

    /// Lengths stand before values, so that no value can look like another field.
    private static func add(_ value: Span<UInt8>, of field: UInt8, to digest: inout UInt64) {
        var state = Self.mixed(digest, UInt64(field) | UInt64(value.count) << 8)
        unsafe value.withUnsafeBytes { bytes in
            var index = 0
            while index &+ 8 <= bytes.count {
                state = unsafe Self.mixed(
                    state,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                )
                index &+= 8
            }
            var rest: UInt64 = 0
            while index < bytes.count {
                unsafe rest = rest << 8 | UInt64(bytes[index])
                index &+= 1
            }
            state = Self.mixed(state, rest)
        }
        digest = state
    }

    /// One step of a folded multiplication, as wyhash makes it; who does not know the beginning cannot
    /// find two values that come to the same.
    @inline(__always)
    static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}
