import GatePolicy
import Glibc

/// What a verdict depends on: the identity fields byte for byte, which rules the path meets, and
/// what kind of client reads a denial.
struct VerdictKey: Hashable {
    var bytes: [UInt8] = []
    var scope = RequestScope.unrestricted
    var form = AnswerForm.document

    /// Lengths stand before values, so that no value can look like another field.
    mutating func append(_ source: Span<UInt8>, field: UInt8, _ line: FieldLine) {
        let count = line.valueEnd - line.valueStart
        self.bytes.append(field)
        self.bytes.append(UInt8(truncatingIfNeeded: count))
        self.bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        unsafe source.extracting(line.valueStart..<line.valueEnd).withUnsafeBufferPointer {
            unsafe self.bytes.append(contentsOf: $0)
        }
    }

    /// Notes that a field has one readable value, whichever it is.
    mutating func append(anyValueOf field: UInt8) {
        // A value of this length would make the key too long to keep.
        self.bytes += [field, 0xFF, 0xFF]
    }

    mutating func append(address: String) {
        self.bytes.append(0xFE)
        self.bytes.append(contentsOf: address.utf8)
    }

    mutating func append(query: QueryParameters) {
        for (name, value) in query.all {
            self.bytes.append(0xFF)
            self.bytes.append(contentsOf: name.utf8)
            self.bytes.append(0xFF)
            self.bytes.append(contentsOf: value.utf8)
        }
    }

    /// Longer identities are judged anew each time instead of being kept.
    var isWorthKeeping: Bool { self.bytes.count <= 1024 }

    static func == (left: VerdictKey, right: VerdictKey) -> Bool {
        guard left.bytes.count == right.bytes.count, left.scope == right.scope,
            left.form == right.form
        else { return false }
        return unsafe left.bytes.withUnsafeBytes { left in
            unsafe right.bytes.withUnsafeBytes { right in
                guard let left = left.baseAddress, let other = right.baseAddress else {
                    return true
                }
                return unsafe memcmp(left, other, right.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        unsafe self.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hasher.combine(self.scope)
        hasher.combine(self.form)
    }
}

/// The verdicts of one event loop, bounded in number.
///
/// When it is full it starts afresh: a flood of made-up versions then costs each request one
/// decision more, and never memory.
struct VerdictCache {
    private var verdicts: [VerdictKey: Verdict] = [:]
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(key: VerdictKey) -> Verdict? {
        self.verdicts[key]
    }

    mutating func insert(_ verdict: Verdict, for key: VerdictKey) {
        guard key.isWorthKeeping else { return }
        if self.verdicts.count >= self.capacity { self.verdicts.removeAll(keepingCapacity: true) }
        self.verdicts[key] = verdict
    }
}
