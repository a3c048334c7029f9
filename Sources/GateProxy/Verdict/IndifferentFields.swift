import GatePolicy
import GateWire

/// The identity fields whose values do not affect any verdict.
struct IndifferentFields {
    /// The bit set of the indifferent fields.
    ///
    /// Bit n represents the field whose role has index n.
    private let bits: UInt64

    init(of ruleSet: RuleSet) {
        let (names, indifferent) = (ruleSet.identityHeaderNames, ruleSet.indifferentHeaderNames)
        self.bits = UInt64(
            bits: names.indices.prefix(64).filter { indifferent.contains(names[$0]) }
        )
    }

    /// Returns the only indifferent field in a head, if exactly one is present and occurs once.
    ///
    /// Without this function, each device would be evaluated separately, and the verdicts would
    /// fill the cache.
    func only(in head: RequestHead, facts: RequestFacts) -> UInt8? {
        let fields = facts.identityFields & self.bits
        guard fields.nonzeroBitCount == 1 else { return nil }
        let field = UInt8(fields.trailingZeroBitCount)
        let isOnce = head.fields.lines.count { $0.role == .identity(field) } == 1
        return isOnce ? field : nil
    }
}

extension UInt64 {
    /// Creates a bit set from bit numbers.
    init(bits: [Int]) {
        self = bits.reduce(0) { $0 | 1 << UInt64($1) }
    }
}

extension VerdictKey {
    /// Adds the identity fields of a head, but only the presence of the indifferent field.
    mutating func append(identityOf head: RequestHead, in bytes: Span<UInt8>, indifferent: UInt8?) {
        for line in head.fields.lines {
            guard case .identity(let index) = line.role else { continue }
            if index == indifferent, Self.isPlain(line, in: bytes) {
                self.append(anyValueOf: index)
            } else {
                self.append(bytes, field: index, line)
            }
        }
    }

    /// Returns whether the value is a single token of visible ASCII characters, which needs no normalization.
    private static func isPlain(_ line: FieldLine, in bytes: Span<UInt8>) -> Bool {
        guard 1...256 ~= line.valueEnd - line.valueStart else { return false }
        for index in line.valueStart..<line.valueEnd
        where !(0x21...0x7E).contains(bytes[index]) || bytes[index] == ASCII.comma { return false }
        return true
    }
}
