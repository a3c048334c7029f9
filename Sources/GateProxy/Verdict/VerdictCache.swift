import GatePolicy
import GateWire
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
    private(set) var digest = 0

    init(scope: RequestScope = .unrestricted, form: AnswerForm = .document) {
        self.scope = scope
        self.form = form
    }

    /// Computes the hash, once for all generations of a cache.
    mutating func prepareForLookUp() {
        let count = self.bytes.count
        let facts = UInt64(self.form.rawValue) << 1 | (self.isClass ? 1 : 0)
        var digest = KeyedHash.mixed(KeyedHash.seed, UInt64(count) << 16 | facts)
        unsafe self.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            digest = unsafe KeyedHash.mixed(digest, start, count)
        }
        if !self.scope.isUnrestricted {
            digest = KeyedHash.mixed(digest, UInt64(bitPattern: Int64(self.scope.hashValue)))
        }
        self.digest = Int(truncatingIfNeeded: digest)
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

    /// The same key in memory that is as large as its bytes, and its own.
    ///
    /// A kept key that shared the memory of the next look-up would make that move with its capacity, and the capacity
    /// grow each time by what the allocator rounds up to.
    func copied() -> VerdictKey {
        var copy = self
        copy.bytes = []
        copy.bytes.reserveCapacity(self.bytes.count)
        copy.bytes.append(self.bytes.span)
        return copy
    }

    /// Longer identities are judged anew each time instead of being kept.
    var isWorthKeeping: Bool { self.bytes.count <= 4096 }

    static func == (left: VerdictKey, right: VerdictKey) -> Bool { left.isEqual(to: right) }

    /// The scope comes last: where it is restricted, it costs the most.
    func isEqual(to other: borrowing VerdictKey) -> Bool {
        guard self.bytes.count == other.bytes.count, self.form == other.form,
            self.isClass == other.isClass
        else { return false }
        let hasSameBytes = unsafe self.bytes.withUnsafeBytes { bytes in
            unsafe other.bytes.withUnsafeBytes { others in
                guard let start = bytes.baseAddress, let other = others.baseAddress else {
                    return true
                }
                return unsafe memcmp(start, other, bytes.count) == 0
            }
        }
        return hasSameBytes && self.scope == other.scope
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
    /// Most requests are of few clients or classes; a power of two.
    static let recentCount = 256

    private var young: [VerdictKey: KnownVerdict] = [:]
    private var old: [VerdictKey: KnownVerdict] = [:]
    /// Some of those that were asked for last, by the end of their digest: to look them up in a
    /// dictionary costs several times as much.
    private var recent = Self.none
    /// The number of the young generation.
    private var number = 0
    /// The bytes of the keys of the young generation.
    private var bytes = 0
    private let generation: Int
    private let release: ([VerdictKey: KnownVerdict]) -> Void

    private struct Recent {
        let known: KnownVerdict
        /// The generation that it was in.
        let number: Int
    }

    private static let none = [Recent?](repeating: nil, count: Self.recentCount)

    /// - Parameters:
    ///   - capacity: The most verdicts that are kept, but for a few.
    ///   - release: Takes a generation that is over, to free it where no request waits.
    init(capacity: Int, release: @escaping ([VerdictKey: KnownVerdict]) -> Void = { _ in }) {
        self.generation = max(1, capacity / 2)
        self.release = release
    }

    /// The verdict for a key that is prepared, which it keeps alive.
    ///
    /// Borrowed, because a copy of a key costs as much as to find it.
    mutating func verdict(for key: borrowing VerdictKey) -> KnownVerdict? {
        let place = key.digest & (Self.recentCount - 1)
        if let recent = self.recent[place], recent.known.has(key) {
            // In use, it does not go with its generation.
            if recent.number != self.number { self.insert(recent.known) }
            return recent.known
        }
        let key = copy key
        if let known = self.young[key] {
            self.recent[place] = Recent(known: known, number: self.number)
            return known
        }
        guard let known = self.old[key] else { return nil }
        self.insert(known)
        return known
    }

    /// Keeps a verdict for a key that is prepared, unless that is too long.
    @discardableResult
    mutating func insert(_ verdict: Verdict, for key: VerdictKey) -> KnownVerdict? {
        guard key.isWorthKeeping else { return nil }
        let known = KnownVerdict(verdict, for: key.copied())
        self.insert(known)
        return known
    }

    private mutating func insert(_ known: KnownVerdict) {
        let count = known.key.bytes.count
        let isFull = self.bytes + count > self.generation * Self.keyLength
        if isFull || self.young.count >= self.generation {
            self.release(self.old)
            self.old = self.young
            self.young = [:]
            self.bytes = 0
            self.number += 1
        }
        if self.young.updateValue(known, forKey: known.key) == nil { self.bytes += count }
        let place = known.key.digest & (Self.recentCount - 1)
        self.recent[place] = Recent(known: known, number: self.number)
    }

    /// Gives all verdicts away, and is empty.
    mutating func removeAll() {
        self.release(self.young)
        self.release(self.old)
        self.recent = Self.none
        (self.young, self.old, self.bytes) = ([:], [:], 0)
    }
}

/// The keys of the request at hand, and the verdicts that they may find.
///
/// One struct, so that a look-up takes no copy of its key, which costs as much as to find it; the memory
/// of the keys is used again for every request.
struct VerdictLookUp {
    /// That of the client itself.
    var key = VerdictKey()
    /// That of its class.
    var classKey = VerdictKey()
    /// That of the refused clients of its class that read the same, but for their versions.
    var denialKey = VerdictKey()
    private var cache: VerdictCache

    init(_ cache: VerdictCache) {
        self.cache = cache
    }

    mutating func isSameClient(as known: KnownVerdict) -> Bool {
        known.has(self.key)
    }

    mutating func isSameClass(as known: KnownVerdict) -> Bool {
        known.has(self.classKey)
    }

    mutating func isSameDenial(as known: KnownVerdict) -> Bool {
        known.has(self.denialKey)
    }

    mutating func findClient() -> KnownVerdict? {
        self.key.prepareForLookUp()
        return self.cache.verdict(for: self.key)
    }

    mutating func findClass() -> KnownVerdict? {
        self.classKey.prepareForLookUp()
        return self.cache.verdict(for: self.classKey)
    }

    mutating func findDenial() -> KnownVerdict? {
        self.denialKey.prepareForLookUp()
        return self.cache.verdict(for: self.denialKey)
    }

    /// The clients for which a verdict is kept.
    enum Extent {
        case client
        case `class`
        /// The refused clients of the class that read the same, but for their versions.
        case denial
    }

    /// Keeps a verdict that was not found.
    mutating func keep(_ verdict: Verdict, for extent: Extent) -> KnownVerdict? {
        switch extent {
        case .client: return self.cache.insert(verdict, for: self.key)
        case .class: return self.cache.insert(verdict, for: self.classKey)
        case .denial:
            // The first one of its class was not looked up.
            self.denialKey.prepareForLookUp()
            return self.cache.insert(verdict, for: self.denialKey)
        }
    }

    /// Gives all verdicts away.
    mutating func removeAll() { self.cache.removeAll() }
}
