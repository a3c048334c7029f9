import GatePolicy
import GateWire
import Glibc

/// The key of a verdict.
///
/// A key contains the bytes of the client's identity fields or of its class, the rules that match
/// the path, and the form of a denial.
struct VerdictKey: Hashable {
    var bytes: [UInt8] = []
    /// Whether the bytes identify a class.
    private var isClass = false
    var scope: RequestScope
    var form: AnswerForm
    /// The hash of the other properties, or 0 until `prepareForLookUp()` is called.
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

    /// Starts the key of a class.
    ///
    /// `ClientClasses` adds the bytes, and `VerdictLookUp` sets the scope.
    fileprivate mutating func beginClass() {
        self.isClass = true
        // This is cheaper than `removeAll(keepingCapacity:)`.
        self.bytes.removeLast(self.bytes.count)
    }

    /// Copies another key with a different form, reusing the memory of this key.
    mutating func `repeat`(_ other: VerdictKey, as form: AnswerForm) {
        self.bytes.removeAll(keepingCapacity: true)
        self.bytes.append(other.bytes.span)
        (self.isClass, self.scope, self.form) = (other.isClass, other.scope, form)
    }

    /// Adds a field, whose length precedes its value, so that no value can imitate another field.
    mutating func append(_ source: Span<UInt8>, field: UInt8, _ line: FieldLine) {
        let count = line.valueEnd - line.valueStart
        self.bytes.append(field)
        guard count <= IdentityLimits.lineLength else {
            // Longer values are never parsed, so it only matters whether they might be lists.
            self.bytes += [line.hasComma(in: source) ? 0xFE : 0xFD, 0xFF]
            return
        }
        self.bytes.append(UInt8(truncatingIfNeeded: count))
        self.bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        self.bytes.append(source.extracting(line.valueStart..<line.valueEnd))
    }

    /// Adds a field without its value, which must be a single token.
    mutating func append(anyValueOf field: UInt8) {
        // These bytes cannot be a length: no parsed value is that long.
        self.bytes += [field, 0xFF, 0xFF]
    }

    mutating func append(address: String) {
        self.bytes.append(0xFE)
        self.bytes.append(contentsOf: address.utf8)
    }

    mutating func append(query: QueryParameters) {
        query.append(to: &self.bytes)
    }

    /// Returns a copy of the key in separate memory of exactly its size.
    ///
    /// If a stored key shared the memory of the next lookup, that memory would be reallocated with
    /// its full capacity. The capacity would then grow each time, because the allocator rounds it
    /// up.
    func copied() -> VerdictKey {
        var copy = self
        copy.bytes = []
        copy.bytes.reserveCapacity(self.bytes.count)
        copy.bytes.append(self.bytes.span)
        return copy
    }

    /// Whether the key is short enough to cache the verdict; longer identities are evaluated for
    /// each request.
    var isWorthKeeping: Bool { self.bytes.count <= 4096 }

    static func == (left: VerdictKey, right: VerdictKey) -> Bool { left.isEqual(to: right) }

    /// Returns whether two keys are equal.
    ///
    /// The scopes are compared last, because comparing restricted scopes costs the most.
    func isEqual(to other: borrowing VerdictKey) -> Bool {
        // The raw values are compared, because `==` of the enumeration is a generic function.
        guard self.bytes.count == other.bytes.count, self.form.rawValue == other.form.rawValue,
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

/// The verdicts of one event loop, limited in number and in the total size of their keys.
///
/// When the cache is full, it starts a new generation and keeps the previous one. Verdicts that are
/// used again move to the new generation; all others are dropped together with the previous one. A
/// flood of made-up versions costs an additional evaluation per request, but no additional
/// memory.
struct VerdictCache {
    /// The average key size, in bytes, that the size limit allows for each verdict.
    private static let keyLength = 256
    /// The number of entries in `recent`, a power of two.
    ///
    /// Most requests are from a small number of clients or classes.
    static let recentCount = 256

    private var young: [VerdictKey: KnownVerdict] = [:]
    private var old: [VerdictKey: KnownVerdict] = [:]
    /// A small cache of recently used verdicts, because a dictionary lookup costs several times as much.
    ///
    /// The indices are the low-order bits of the keys' digests.
    private var recent = Self.none
    /// The number of the current generation.
    private var number = 0
    /// The total size of the keys in the current generation, in bytes.
    private var bytes = 0
    private let generation: Int
    private let release: ([VerdictKey: KnownVerdict]) -> Void

    private struct Recent {
        let known: KnownVerdict
        /// The number of the generation that contained the verdict.
        let number: Int
    }

    private static let none = [Recent?](repeating: nil, count: Self.recentCount)

    /// Creates a cache for approximately `capacity` verdicts.
    ///
    /// `release` is called with each dropped generation, to deallocate it without delaying requests.
    init(capacity: Int, release: @escaping ([VerdictKey: KnownVerdict]) -> Void = { _ in }) {
        self.generation = max(1, capacity / 2)
        self.release = release
    }

    /// Returns the verdict for a prepared key, and keeps that verdict in the cache.
    ///
    /// The key is borrowed, because copying it costs as much as the lookup.
    mutating func verdict(for key: borrowing VerdictKey) -> KnownVerdict? {
        let place = key.digest & (Self.recentCount - 1)
        if let recent = self.recent[place], recent.known.has(key) {
            // A verdict that is still used must not be dropped with its generation.
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

    /// Adds a verdict for a prepared key, unless the key is too long.
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

    mutating func removeAll() {
        self.release(self.young)
        self.release(self.old)
        self.recent = Self.none
        (self.young, self.old, self.bytes) = ([:], [:], 0)
    }
}

/// The keys of the current request, and the cache in which they are looked up.
///
/// This is a single struct, so that a lookup does not copy its key: a copy would cost as much as
/// the lookup. The memory of the keys is reused for every request.
struct VerdictLookUp {
    /// The key of the individual client.
    var key = VerdictKey()
    /// The key of the client's class.
    var classKey = VerdictKey()
    /// The key of the shared denial, for clients of the class that get the same texts.
    var denialKey = VerdictKey()
    private var cache: VerdictCache

    init(_ cache: VerdictCache) {
        self.cache = cache
    }

    /// Starts the key of the client's class, in the scope of the client's own key.
    mutating func beginClass() {
        self.classKey.beginClass()
        // Comparing unrestricted scopes costs less than copying one.
        if self.classKey.scope != self.key.scope { self.classKey.scope = self.key.scope }
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

    /// The set of clients that a cached verdict is valid for.
    enum Extent {
        case client
        case `class`
        /// The denied clients of the class that get the same texts, apart from their versions.
        case denial
    }

    /// Adds a verdict that was not found in the cache.
    mutating func keep(_ verdict: Verdict, for extent: Extent) -> KnownVerdict? {
        switch extent {
        case .client: return self.cache.insert(verdict, for: self.key)
        case .class: return self.cache.insert(verdict, for: self.classKey)
        case .denial:
            // The key has not been prepared by a lookup if this is the first denial in a class.
            self.denialKey.prepareForLookUp()
            return self.cache.insert(verdict, for: self.denialKey)
        }
    }

    mutating func removeAll() { self.cache.removeAll() }
}
