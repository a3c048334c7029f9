package import GatePolicy
package import GateWire

/// A table of the verdicts for recent clients, indexed by the exact bytes of their identity fields.
///
/// For a denial, parsing these fields and finding the class and the texts takes a fifth of all
/// instructions. The table contains only verdicts that are valid for every client with the same
/// key. Its size is fixed, and each client has two possible slots. A new client is added when it is
/// seen for the second time. A client that has been found since it was added keeps its slot the
/// first time that a new client needs the slot.
///
/// New rules reuse the table of the previous rules on their event loop, without its entries.
/// Reallocating this amount of memory on each reload would fragment the heap.
@safe
package struct RecentClients: ~Copyable {
    /// The maximum number of slots, a power of two.
    static let most = 2048
    /// The maximum size of a key in bytes, a multiple of the word size.
    static let keyLength = 256

    private struct Place {
        /// The hash of the key and the scope.
        var digest: UInt64 = 0
        /// The length of the key in bytes, or 0 for an empty slot.
        var keyLength: Int32 = 0
        /// Whether the client has been found since a new client last needed the slot.
        var isInUse = false
    }

    /// A client with its own copy of a denial.
    private struct Owner {
        let place: Int
        let verdict: Verdict
        /// The verdict that clients without their own copy share.
        let shared: Verdict
        /// The number of further hits by clients without their own copy after which one of them
        /// replaces this owner.
        var patience: UInt8
    }

    /// The initial value of `Owner.patience`.
    private static let patience: UInt8 = 32

    /// The bit set of the fields that are ignored once the class is known.
    ///
    /// Bit n represents the field whose role has index n.
    private var ignored: UInt64 = 0
    /// The bit set of the fields of which only the presence of a single value matters.
    private var indifferent: UInt64 = 0
    private var places: [Place]
    private var verdicts: [Verdict?]
    /// The clients with their own copies of denials; slots with the same low-order bits share two entries.
    private var owners: [Owner?]
    /// The scopes of the verdicts in the slots, which are compared only if they are restricted.
    private var scopes: [RequestScope]
    /// The keys of the slots, followed by the key of the current request.
    private let keys: UnsafeMutableRawPointer
    /// The length in bytes of the key of the current request, or 0 if the request has no key.
    private var keyLength = 0
    private var digest: UInt64 = 0
    private var missing = RepetitionFilter()
    /// The number of lookups that failed or were skipped since the last hit.
    private var missesInARow = 0
    private let seed = KeyedHash.seed
    private let digestMask: UInt64

    /// Creates a table that is not prepared for any rules.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of clients, clamped to the range from 2 to `most` and
    ///     rounded down to a power of two.
    ///   - mostOwners: The maximum number of denials for individual clients, a power of two and at least 2.
    ///   - digestMask: The bits of the hash to use, which allows tests to cause collisions.
    package init(capacity: Int, mostOwners: Int = 256, digestMask: UInt64 = .max) {
        let limit = max(2, min(capacity, Self.most))
        let count = 1 << (Int.bitWidth - 1 - limit.leadingZeroBitCount)
        self.places = Array(repeating: Place(), count: count)
        self.verdicts = Array(repeating: nil, count: count)
        self.owners = Array(repeating: nil, count: min(count, mostOwners))
        self.scopes = Array(repeating: .unrestricted, count: count)
        unsafe self.keys = .allocate(
            byteCount: (count + 1) * Self.keyLength,
            alignment: MemoryLayout<UInt64>.alignment
        )
        self.digestMask = digestMask
    }

    deinit {
        unsafe self.keys.deallocate()
    }

    /// Prepares the table for rules with these classes; the table must be empty.
    package mutating func serve(_ classes: ClientClasses) {
        let fields = classes.parts.indices.prefix(64)
        self.ignored = UInt64(bits: fields.filter(classes.ignores(header:)))
        self.indifferent = UInt64(bits: fields.filter(classes.isIndifferent(header:)))
    }

    /// Clears the key for the current request, so that the request is not looked up.
    package mutating func clearKey() {
        self.keyLength = 0
    }

    /// Sets the key for the client of the current request.
    ///
    /// No key is set if the client's fields exceed the key length, or if an indifferent field has
    /// several values.
    package mutating func describe(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        form: AnswerForm,
        scope: RequestScope
    ) {
        self.clearKey()
        guard self.shouldLookUp() else { return }
        let lines = head.fields.lines.span
        let key = unsafe self.keys + self.places.count * Self.keyLength
        let (ignored, indifferent) = (self.ignored, self.indifferent)
        // The form and the length precede the fields; the last word is padded with zeros.
        var length = 2
        let isWhole = unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            for index in lines.indices {
                guard case .identity(let field) = lines[index].role else { continue }
                let bit: UInt64 = 1 &<< UInt64(field)
                guard ignored & bit == 0 else { continue }
                var count = lines[index].value.count
                let value = unsafe start + lines[index].valueStart
                if indifferent & bit != 0 {
                    guard 1...IdentityLimits.lineLength ~= count,
                        unsafe !CommaSearch.finds(in: value, count)
                    else { return false }
                    count = 0
                }
                guard length + 2 + count <= Self.keyLength else { return false }
                unsafe key.storeBytes(
                    of: UInt16(field) | UInt16(count) << 8,
                    toByteOffset: length,
                    as: UInt16.self
                )
                unsafe (key + length + 2).copyMemory(from: value, byteCount: count)
                length += 2 + count
            }
            return true
        }
        guard isWhole else { return }
        let front = form.rawValue << 1 | (scope.isUnrestricted ? 1 : 0)
        unsafe key.storeBytes(of: front, as: UInt8.self)
        // No key has the length 0, so a zero byte represents a length of 256.
        unsafe key.storeBytes(
            of: UInt8(truncatingIfNeeded: length),
            toByteOffset: 1,
            as: UInt8.self
        )
        while length % Self.wordLength != 0 {
            unsafe key.storeBytes(of: 0, toByteOffset: length, as: UInt8.self)
            length += 1
        }
        var digest = unsafe KeyedHash.mixed(self.seed, key, length)
        if !scope.isUnrestricted {
            digest = KeyedHash.mixed(digest, UInt64(bitPattern: Int64(scope.hashValue)))
        }
        self.keyLength = length
        self.digest = digest & self.digestMask
    }

    /// Returns the verdict for the current key, or `nil` if the table does not contain the key.
    package mutating func verdict(in scope: RequestScope) -> Verdict? {
        guard self.looksForClient else { return nil }
        let place = self.foundPlace
        guard self.places[place].digest == self.digest, self.isAbout(place, in: scope) else {
            self.missesInARow &+= 1
            return nil
        }
        if self.missesInARow > 0 { self.missesInARow = 0 }
        if !self.places[place].isInUse { self.places[place].isInUse = true }
        return self.verdicts[place]
    }

    /// Adds the verdict for the current key, if the key has been seen before and a slot is available.
    package mutating func keep(_ verdict: Verdict, in scope: RequestScope) {
        guard self.looksForClient, let place = self.placeToKeep() else { return }
        self.places[place] = Place(digest: self.digest, keyLength: Int32(self.keyLength))
        self.verdicts[place] = verdict
        if !scope.isUnrestricted { self.scopes[place] = scope }
        let key = unsafe self.keys + self.places.count * Self.keyLength
        unsafe (self.keys + place * Self.keyLength)
            .copyMemory(from: key, byteCount: self.keyLength)
    }

    /// Counts a hit of a client with a shared denial.
    ///
    /// Each copy of a denial saves part of the work for a request. If each client had a copy,
    /// however, the copies would evict each other from the processor's caches. Clients with many
    /// requests are more likely to get a copy than others.
    ///
    /// - Returns: The index in `owners` if the client is to get its own copy of the denial, otherwise `nil`.
    mutating func entryForOwner() -> Int? {
        let entry = self.foundPlace & (self.owners.count - 1)
        guard let patience = self.patience(at: entry) else { return entry }
        guard self.patience(at: entry ^ 1) != nil else { return entry ^ 1 }
        guard patience > 1 else { return entry }
        self.owners[entry]?.patience = patience - 1
        return nil
    }

    /// Returns how many more hits by other clients it takes to replace the owner of an entry.
    ///
    /// Returns `nil` if the entry has no owner, or if the owner's slot now has a different verdict.
    private func patience(at entry: Int) -> UInt8? {
        guard let owner = self.owners[entry], self.verdicts[owner.place] === owner.verdict else {
            return nil
        }
        return owner.patience
    }

    /// Replaces the found verdict, which is shared, with the current client's own verdict.
    ///
    /// The former owner of the entry gets its shared verdict back.
    mutating func replaceFound(_ shared: Verdict, with own: Verdict, entry: Int) {
        let place = self.foundPlace
        if let former = self.owners[entry], self.verdicts[former.place] === former.verdict {
            self.verdicts[former.place] = former.shared
        }
        self.verdicts[place] = own
        self.owners[entry] = Owner(
            place: place,
            verdict: own,
            shared: shared,
            patience: Self.patience
        )
    }

    /// The index of the slot with the current client, if the client is in the table.
    private var foundPlace: Int {
        let first = self.firstPlace
        return self.places[first].digest == self.digest ? first : self.secondPlace
    }

    /// Removes and returns all verdicts.
    package mutating func takeVerdicts() -> [Verdict?] {
        self.clearKey()
        for place in self.places.indices {
            self.places[place] = Place()
            self.scopes[place] = .unrestricted
        }
        var verdicts = self.verdicts
        for case let owner? in self.owners { verdicts += [owner.verdict, owner.shared] }
        self.verdicts = Array(repeating: nil, count: self.places.count)
        self.owners = Array(repeating: nil, count: self.owners.count)
        return verdicts
    }

    /// The number of consecutive misses after which further lookups are also expected to miss.
    private static let missThreshold = 64
    /// The sampling interval after `missThreshold` misses.
    ///
    /// Only one in this many clients is looked up until there is a hit, which reduces the cost of a
    /// flood of made-up clients.
    private static let sampled = 16

    /// Whether the client of the current request is looked up.
    var looksForClient: Bool { self.keyLength > 0 }

    /// Returns whether to look up the next client.
    private mutating func shouldLookUp() -> Bool {
        guard self.missesInARow >= Self.missThreshold else { return true }
        if self.missesInARow % Self.sampled == 0 { return true }
        self.missesInARow &+= 1
        return false
    }

    private static let wordLength = MemoryLayout<UInt64>.size

    /// The first of the two slots that the current client can occupy.
    private var firstPlace: Int {
        Int(truncatingIfNeeded: self.digest) & (self.places.count - 1)
    }
    /// The second of the two slots that the current client can occupy.
    private var secondPlace: Int { self.firstPlace ^ 1 }

    /// Returns the slot in which to store the current client, or `nil` if no slot is available.
    ///
    /// This is the client's previous slot or, if the client has been seen before, a slot that is not in
    /// use. A slot in use is spared once: the next new client gets the slot, unless the client in
    /// it is found before then.
    private mutating func placeToKeep() -> Int? {
        let (first, second) = (self.firstPlace, self.secondPlace)
        if self.places[first].digest == self.digest { return first }
        if self.places[second].digest == self.digest { return second }
        guard self.missing.isRepeated(self.digest) else { return nil }
        guard self.places[first].isInUse else { return first }
        self.places[first].isInUse = false
        guard self.places[second].isInUse else { return second }
        self.places[second].isInUse = false
        return nil
    }

    /// Returns whether a slot belongs to the current client.
    private func isAbout(_ place: Int, in scope: RequestScope) -> Bool {
        guard Int(self.places[place].keyLength) == self.keyLength,
            scope.isUnrestricted || self.scopes[place] == scope
        else { return false }
        let key = unsafe self.keys + self.places.count * Self.keyLength
        let other = unsafe self.keys + place * Self.keyLength
        for offset in stride(from: 0, to: self.keyLength, by: Self.wordLength) {
            let word = unsafe key.load(fromByteOffset: offset, as: UInt64.self)
            guard unsafe other.load(fromByteOffset: offset, as: UInt64.self) == word else {
                return false
            }
        }
        return true
    }
}

/// A filter that detects recently seen digests.
///
/// In a flood of made-up versions, each version is seen only once. Caching the verdicts for these
/// versions would cost as much as computing them, and would evict verdicts that are needed again.
struct RepetitionFilter {
    /// The number of entries, a power of two.
    private static let count = 4096

    /// The upper halves of the most recent digests.
    private var parts = [UInt32](repeating: 0, count: Self.count)

    /// Returns whether the digest has been seen recently, and stores it.
    ///
    /// Digests with the same entry and the same upper half count as equal.
    mutating func isRepeated(_ digest: UInt64) -> Bool {
        let place = Int(truncatingIfNeeded: digest) & (Self.count - 1)
        let part = UInt32(truncatingIfNeeded: digest >> 32)
        defer { self.parts[place] = part }
        return self.parts[place] == part
    }
}
