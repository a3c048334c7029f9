import GatePolicy
import Glibc

/// The facts that a verdict depends on: the identity fields byte for byte, or the class of the
/// client, which rules the path meets, and what kind of client reads a denial.
struct VerdictKey: Hashable {
    var bytes: [UInt8] = []
    /// Whether they stand for a class.
    private var isClass = false
    var scope: RequestScope
    var form: AnswerForm
    /// The hash of all others; 0 until it is looked up.
    private var digest = 0

    init(scope: RequestScope = .unrestricted, form: AnswerForm = .document) {
        self.scope = scope
        self.form = form
    }

    /// Computes the hash, once for all generations of a cache.
    mutating func prepareForLookUp() {
        var hasher = Hasher()
        unsafe self.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        hasher.combine(self.scope)
        hasher.combine(self.form)
        hasher.combine(self.isClass)
        self.digest = hasher.finalize()
    }

    /// Begins the key of a class, to which `ClientClasses` adds.
    mutating func beginClass() {
        self.isClass = true
        self.bytes.removeAll(keepingCapacity: true)
    }

    /// Becomes the same as another key but for the form of the answer, in the memory that it has.
    mutating func `repeat`(_ other: VerdictKey, as form: AnswerForm) {
        self.bytes.removeAll(keepingCapacity: true)
        self.bytes.append(other.bytes.span)
        (self.isClass, self.scope, self.form) = (other.isClass, other.scope, form)
    }

    /// Lengths stand before values, so that no value can look like another field.
    mutating func append(_ source: Span<UInt8>, field: UInt8, _ line: FieldLine) {
        let count = line.valueEnd - line.valueStart
        self.bytes.append(field)
        guard count <= IdentityLimits.lineLength else {
            // Nobody reads it: all that are too long are one, but for those that may be a list.
            self.bytes += [line.hasComma(in: source) ? 0xFE : 0xFD, 0xFF]
            return
        }
        self.bytes.append(UInt8(truncatingIfNeeded: count))
        self.bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        self.bytes.append(source.extracting(line.valueStart..<line.valueEnd))
    }

    /// Notes that a field has one readable value, whichever it is.
    mutating func append(anyValueOf field: UInt8) {
        // No value that is read has this length.
        self.bytes += [field, 0xFF, 0xFF]
    }

    mutating func append(address: String) {
        self.bytes.append(0xFE)
        self.bytes.append(contentsOf: address.utf8)
    }

    mutating func append(query: QueryParameters) {
        query.append(to: &self.bytes)
    }

    /// Longer identities are judged anew each time instead of being kept.
    var isWorthKeeping: Bool { self.bytes.count <= 4096 }

    static func == (left: VerdictKey, right: VerdictKey) -> Bool {
        guard left.bytes.count == right.bytes.count, left.scope == right.scope,
            left.form == right.form, left.isClass == right.isClass
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
        hasher.combine(self.digest)
    }
}

/// The verdicts of one event loop, bounded in number and in the bytes of their keys.
///
/// A full cache begins a new generation and keeps the one before: what is asked for again moves up,
/// and what is not goes with its generation. A flood of made-up versions costs each request one
/// decision more, and never memory.
struct VerdictCache {
    /// The bytes of the keys for each verdict, on average.
    private static let keyLength = 256

    private var young: [VerdictKey: Verdict] = [:]
    private var old: [VerdictKey: Verdict] = [:]
    /// The bytes of the keys of the young generation.
    private var bytes = 0
    private let generation: Int
    private let release: ([VerdictKey: Verdict]) -> Void

    /// - Parameters:
    ///   - capacity: The most verdicts that are kept.
    ///   - release: Takes a generation that is over, to free it where no request waits.
    init(capacity: Int, release: @escaping ([VerdictKey: Verdict]) -> Void = { _ in }) {
        self.generation = max(1, capacity / 2)
        self.release = release
    }

    /// The verdict for a key, which it keeps alive.
    mutating func verdict(for key: VerdictKey) -> Verdict? {
        if let verdict = self.young[key] { return verdict }
        guard let verdict = self.old[key] else { return nil }
        self.insert(verdict, for: key)
        return verdict
    }

    mutating func insert(_ verdict: Verdict, for key: VerdictKey) {
        guard key.isWorthKeeping else { return }
        let isFull = self.bytes + key.bytes.count > self.generation * Self.keyLength
        if isFull || self.young.count >= self.generation {
            self.release(self.old)
            self.old = self.young
            self.young = [:]
            self.bytes = 0
        }
        if self.young.updateValue(verdict, forKey: key) == nil { self.bytes += key.bytes.count }
    }

    /// Gives all verdicts away, and is empty.
    mutating func removeAll() {
        self.release(self.young)
        self.release(self.old)
        (self.young, self.old, self.bytes) = ([:], [:], 0)
    }
}
