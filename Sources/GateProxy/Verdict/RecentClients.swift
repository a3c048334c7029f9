package import GatePolicy
package import GateWire

/// The verdicts on clients that were there a moment ago, found by what they say of themselves, byte for byte.
///
/// To read that, and to find a class and the words of a denial by it, costs a fifth of all instructions of a denial.
/// Only what holds for a whole class, or for all of it that read the same, is kept: then nobody asks what else a
/// client says. The table has a fixed size. Who comes back keeps the place; so a flood of made-up versions takes it
/// from nobody who is there now and then.
@safe
package struct RecentClients: ~Copyable {
    /// The most places; a power of two.
    static let most = 1024
    /// The bytes that a client may say; a multiple of a word.
    static let keyLength = 256

    private struct Place {
        /// The hash of its key and its scope.
        var digest: UInt64 = 0
        var keyLength = 0
        var verdict: Verdict?
        /// Whether it was found since another client last wanted the place.
        var isInUse = false
    }

    /// One bit for each field, by the index of its role: those that nobody looks at where a class is known, and
    /// those of which only counts that they say one thing.
    private let ignored: UInt64
    private let indifferent: UInt64
    private var places: [Place]
    /// The paths that rules meet of each place, looked at only where there are some.
    private var scopes: [RequestScope]
    /// The keys of the places, and behind them that of the request at hand.
    private let keys: UnsafeMutableRawPointer
    private var keyLength = 0
    private var digest: UInt64 = 0
    private let seed = KeyedHash.seed

    /// `capacity`: about as many clients are kept, and not more than `most`.
    package init(_ classes: ClientClasses, capacity: Int) {
        let limit = max(1, min(capacity, Self.most))
        let count = 1 << (Int.bitWidth - 1 - limit.leadingZeroBitCount)
        self.places = Array(repeating: Place(), count: count)
        self.scopes = Array(repeating: .unrestricted, count: count)
        unsafe self.keys = .allocate(
            byteCount: (count + 1) * Self.keyLength,
            alignment: MemoryLayout<UInt64>.alignment
        )
        func fields(_ isOne: (Int) -> Bool) -> UInt64 {
            classes.parts.indices.prefix(64).reduce(0) { $0 | (isOne($1) ? 1 << UInt64($1) : 0) }
        }
        self.ignored = fields(classes.ignores(header:))
        self.indifferent = fields(classes.isIndifferent(header:))
    }

    deinit {
        unsafe self.keys.deallocate()
    }

    /// Takes down what a client says of itself.
    ///
    /// - Returns: `false` if it cannot be found by that.
    package mutating func describe(
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        form: AnswerForm,
        scope: RequestScope
    ) -> Bool {
        let lines = head.fields.lines.span
        let key = unsafe self.keys + self.places.count * Self.keyLength
        let (ignored, indifferent) = (self.ignored, self.indifferent)
        // In front stand the form and the length: the words behind are filled with zeros.
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
                guard count <= UInt8.max, length + 2 + count <= Self.keyLength else { return false }
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
        guard isWhole else { return false }
        let front = form.rawValue << 1 | (scope.isUnrestricted ? 1 : 0)
        unsafe key.storeBytes(of: front, as: UInt8.self)
        unsafe key.storeBytes(
            of: UInt8(truncatingIfNeeded: length),
            toByteOffset: 1,
            as: UInt8.self
        )
        while length % Self.wordLength != 0 {
            unsafe key.storeBytes(of: 0, toByteOffset: length, as: UInt8.self)
            length += 1
        }
        self.keyLength = length
        self.digest = unsafe KeyedHash.mixed(self.seed, key, length)
        if !scope.isUnrestricted {
            let hash = UInt64(bitPattern: Int64(scope.hashValue))
            self.digest = KeyedHash.mixed(self.digest, hash)
        }
        return true
    }

    /// The verdict on the client that was described last.
    package mutating func verdict(in scope: RequestScope) -> Verdict? {
        var number = self.number
        if self.places[number].digest != self.digest { number = self.otherNumber }
        guard self.places[number].digest == self.digest,
            self.places[number].keyLength == self.keyLength, self.hasKey(number),
            scope.isUnrestricted || self.scopes[number] == scope
        else { return nil }
        if !self.places[number].isInUse { self.places[number].isInUse = true }
        return self.places[number].verdict
    }

    /// Keeps the verdict on the client that was described last, unless both of its places are of clients who come back.
    package mutating func keep(_ verdict: Verdict, in scope: RequestScope) {
        guard let number = self.numberToKeep else {
            // Who has the first one is to come back once more.
            self.places[self.number].isInUse = false
            return
        }
        self.places[number] = Place(
            digest: self.digest,
            keyLength: self.keyLength,
            verdict: verdict
        )
        if !scope.isUnrestricted { self.scopes[number] = scope }
        let key = unsafe self.keys + self.places.count * Self.keyLength
        unsafe (self.keys + number * Self.keyLength)
            .copyMemory(from: key, byteCount: self.keyLength)
    }

    private static let wordLength = MemoryLayout<UInt64>.size

    /// The two places that the client that was described last may have.
    private var number: Int { Int(truncatingIfNeeded: self.digest) & (self.places.count - 1) }
    private var otherNumber: Int { (self.number ^ 1) & (self.places.count - 1) }

    /// The one that it has, or can have.
    private var numberToKeep: Int? {
        let (first, second) = (self.number, self.otherNumber)
        if self.places[first].digest == self.digest { return first }
        if self.places[second].digest == self.digest { return second }
        if !self.places[first].isInUse { return first }
        return self.places[second].isInUse ? nil : second
    }

    private func hasKey(_ number: Int) -> Bool {
        let key = unsafe self.keys + self.places.count * Self.keyLength
        let other = unsafe self.keys + number * Self.keyLength
        for offset in stride(from: 0, to: self.keyLength, by: Self.wordLength) {
            let word = unsafe key.load(fromByteOffset: offset, as: UInt64.self)
            guard unsafe other.load(fromByteOffset: offset, as: UInt64.self) == word else {
                return false
            }
        }
        return true
    }
}
