extension Span<UInt8> {
    /// One past the letters, digits and hyphens that begin here; the end of the bytes, if these are
    /// the last.
    @inline(__always)
    func endOfPlainName(from start: Int) -> Int {
        var index = start
        while true {
            let count = Self.plainNameBytes(self.word(at: index))
            index &+= count
            if count < 8 { return index }
        }
    }

    /// One past the bytes that begin here and are no controls, HTAB among them; the end of the bytes,
    /// if these are the last.
    @inline(__always)
    func endOfPlainValue(from start: Int) -> Int {
        var index = start
        while true {
            let count = Self.plainValueBytes(self.word(at: index))
            index &+= count
            if count < 8 { return index }
        }
    }

    /// Eight bytes, the first one lowest; zeros stand for those behind the last.
    @inlinable @inline(__always)
    package func word(at index: Int) -> UInt64 {
        precondition(index >= 0)
        guard index <= self.count &- 8 else { return self.lastWord(at: index) }
        return unsafe self.bytes.unsafeLoadUnaligned(
            fromUncheckedByteOffset: index,
            as: UInt64.self
        )
    }

    @usableFromInline
    func lastWord(at start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in stride(from: self.count - 1, through: start, by: -1) {
            word = word << 8 | UInt64(self[index])
        }
        return word
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// The number of letters, digits and hyphens that a word begins with.
    ///
    /// Each byte is seven bits of it while they are added to, so that no carry reaches the next one,
    /// and its highest bit tells what it is.
    @inline(__always)
    private static func plainNameBytes(_ word: UInt64) -> Int {
        let low = word & ~Self.highBits
        let lowercase = low | Self.ones &* 0x20
        let letters =
            (lowercase &+ Self.ones &* (0x80 - 0x61)) & ~(lowercase &+ Self.ones &* (0x80 - 0x7B))
        let digits = (low &+ Self.ones &* (0x80 - 0x30)) & ~(low &+ Self.ones &* (0x80 - 0x3A))
        let others = (low ^ Self.ones &* UInt64(ASCII.hyphen)) &+ Self.ones &* 0x7F
        return Self.leading((letters | digits | ~others) & ~word)
    }

    /// The number of bytes that a word begins with and that are no controls.
    @inline(__always)
    private static func plainValueBytes(_ word: UInt64) -> Int {
        let low = word & ~Self.highBits
        let visible = low &+ Self.ones &* (0x80 - 0x20)
        let others = (low ^ Self.ones &* 0x7F) &+ Self.ones &* 0x7F
        return Self.leading(visible & others | word)
    }

    /// The number of bytes with the highest bit that a word begins with.
    @inline(__always)
    private static func leading(_ marks: UInt64) -> Int {
        (~marks & Self.highBits).trailingZeroBitCount &>> 3
    }
}
