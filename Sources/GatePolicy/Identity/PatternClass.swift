/// The set of bytes that one step of a pattern accepts.
struct PatternClass: Sendable, Equatable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    /// Whether the set includes all bytes beyond ASCII.
    private var includesNonASCII = false

    static let any: PatternClass = {
        var any = PatternClass()
        any.invert()
        return any
    }()
    static let digits = PatternClass(where: \.isDigit)
    static let words = PatternClass { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    static let spaces = PatternClass { $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }

    init() {}

    init(_ byte: UInt8) {
        self.insert(byte...byte)
    }

    private init(where belongs: (UInt8) -> Bool) {
        for byte in 0..<UInt8(128) where belongs(byte) { self.insert(byte...byte) }
    }

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range {
            if byte < 64 {
                self.low |= 1 << UInt64(byte)
            } else if byte < 128 {
                self.high |= 1 << UInt64(byte - 64)
            } else {
                self.includesNonASCII = true
            }
        }
    }

    mutating func formUnion(_ other: PatternClass) {
        self.low |= other.low
        self.high |= other.high
        self.includesNonASCII = self.includesNonASCII || other.includesNonASCII
    }

    mutating func invert() {
        self.low = ~self.low
        self.high = ~self.high
        self.includesNonASCII.toggle()
    }

    /// Adds the other case of every letter in the set.
    mutating func foldCase() {
        for byte in 0..<UInt8(128) where byte.isLetter && self.contains(byte) {
            self.insert((byte ^ 0x20)...(byte ^ 0x20))
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        if byte < 64 { return self.low & (1 << UInt64(byte)) != 0 }
        if byte < 128 { return self.high & (1 << UInt64(byte - 64)) != 0 }
        return self.includesNonASCII
    }
}
