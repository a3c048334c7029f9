package import GatePolicy
package import GateWire

/// The verdicts on clients that were there a moment ago, found by what they say of themselves, byte for byte.
///
/// To read that, and to find a class and the words of a denial by it, costs a fifth of all instructions of a denial. Only
/// verdicts that every client with the same key would get are kept. The table has a fixed size: each client may have one of
/// two places, and who was found keeps it against one newcomer. A newcomer is kept when it comes for the second time.
///
/// Rules hand their table to the next ones of their event loop, with nobody in it: memory of this size that came and went
/// with each reload would leave holes in the heap.
@safe
package struct RecentClients: ~Copyable {
    /// The most places; a power of two.
    static let most = 1024
    /// The bytes that a client may say; a multiple of a word.
    static let keyLength = 256

    private struct Place {
        /// The hash of its key and its scope.
        var digest: UInt64 = 0
        /// 0: nobody has it.
        var keyLength: Int32 = 0
        /// Whether its client was found since a newcomer wanted it.
        var isInUse = false
    }

    /// One bit for each field, by the index of its role: those that nobody looks at where a class is known, and
    /// those of which only counts that they say one thing.
    private var ignored: UInt64 = 0
    private var indifferent: UInt64 = 0
    private var places: [Place]
    private var verdicts: [Verdict?]
    /// The paths that rules meet of each place, looked at only where there are some.
    private var scopes: [RequestScope]
    /// The keys of the places, and behind them that of the request at hand.
    private let keys: UnsafeMutableRawPointer
    /// 0: the request at hand has none.
    private var keyLength = 0
    private var digest: UInt64 = 0
    private var missing = RepetitionFilter()
    /// How many were looked for in vain, or passed over, since somebody was found.
    private var missesInARow = 0
    private let seed = KeyedHash.seed
    private let digestMask: UInt64

    /// A table that is good for no rules yet.
    ///
    /// - Parameters:
    ///   - capacity: The most clients that are kept: two at least, `most` at most, and else the next lower power of two.
    ///   - digestMask: The bits of a hash that count: tests have different clients meet.
    package init(capacity: Int, digestMask: UInt64 = .max) {
        let limit = max(2, min(capacity, Self.most))
        let count = 1 << (Int.bitWidth - 1 - limit.leadingZeroBitCount)
        self.places = Array(repeating: Place(), count: count)
        self.verdicts = Array(repeating: nil, count: count)
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

    /// Serves rules that have these classes; nobody may be left of those before.
    package mutating func serve(_ classes: ClientClasses) {
        func fields(_ isOne: (Int) -> Bool) -> UInt64 {
            classes.parts.indices.prefix(64).reduce(0) { $0 | (isOne($1) ? 1 << UInt64($1) : 0) }
        }
        self.ignored = fields(classes.ignores(header:))
        self.indifferent = fields(classes.isIndifferent(header:))
    }

    /// Takes down that the client of the request at hand is not to be found here.
    package mutating func describeNobody() {
        self.keyLength = 0
    }

    /// Takes down what the client of the request at hand says of itself.
    ///
    /// A client is left out that says more than a key holds, or several things where one makes no difference.
    package mutating func describe(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        form: AnswerForm,
        scope: RequestScope
    ) {
        self.describeNobody()
        guard self.isWorthALook() else { return }
        let lines = head.fields.lines.span
        let key = unsafe self.keys + self.places.count * Self.keyLength
        let (ignored, indifferent) = (self.ignored, self.indifferent)
        // In front stand the form and the length: the last word is filled with zeros.
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
        // No key has the length 0, which stands for 256.
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

    /// The verdict on the client that was described last.
    package mutating func verdict(in scope: RequestScope) -> Verdict? {
        guard self.looksForClient else { return nil }
        var place = self.firstPlace
        if self.places[place].digest != self.digest { place = self.secondPlace }
        guard self.places[place].digest == self.digest, self.isAbout(place, in: scope) else {
            self.missesInARow &+= 1
            return nil
        }
        if self.missesInARow > 0 { self.missesInARow = 0 }
        if !self.places[place].isInUse { self.places[place].isInUse = true }
        return self.verdicts[place]
    }

    /// Keeps the verdict on the client that was described last, if it comes again and there is a place for it.
    ///
    /// `verdict`: evaluated only if the verdict is kept.
    package mutating func keep(in scope: RequestScope, _ verdict: () -> Verdict) {
        guard self.looksForClient, let place = self.placeToKeep() else { return }
        self.places[place] = Place(digest: self.digest, keyLength: Int32(self.keyLength))
        self.verdicts[place] = verdict()
        if !scope.isUnrestricted { self.scopes[place] = scope }
        let key = unsafe self.keys + self.places.count * Self.keyLength
        unsafe (self.keys + place * Self.keyLength)
            .copyMemory(from: key, byteCount: self.keyLength)
    }

    /// Gives all verdicts away: no client is found any more.
    package mutating func takeVerdicts() -> [Verdict?] {
        self.describeNobody()
        for place in self.places.indices {
            self.places[place] = Place()
            self.scopes[place] = .unrestricted
        }
        let verdicts = self.verdicts
        self.verdicts = Array(repeating: nil, count: self.places.count)
        return verdicts
    }

    /// After so many clients that were not there, few of the next ones will be.
    private static let manyMisses = 64
    /// Then one of so many is looked for, until one is there: a flood of made-up clients is not to cost this, too.
    private static let sampled = 16

    /// Whether the client of the request at hand is looked for.
    var looksForClient: Bool { self.keyLength > 0 }

    /// Whether the next client is looked for.
    private mutating func isWorthALook() -> Bool {
        guard self.missesInARow >= Self.manyMisses else { return true }
        if self.missesInARow % Self.sampled == 0 { return true }
        self.missesInARow &+= 1
        return false
    }

    private static let wordLength = MemoryLayout<UInt64>.size

    /// The places that the client that was described last may have.
    private var firstPlace: Int {
        Int(truncatingIfNeeded: self.digest) & (self.places.count - 1)
    }
    private var secondPlace: Int { self.firstPlace ^ 1 }

    /// The one that it has, or one that is not in use, if it comes again.
    ///
    /// Whoever is passed over has to be found again before the next newcomer.
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

    /// Whether a place is that of the client that was described last.
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
