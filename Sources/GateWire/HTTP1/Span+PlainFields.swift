extension Span<UInt8> {
    /// Returns the position after the run of letters, digits and hyphens at `start`.
    @inline(__always)
    func endOfPlainName(from start: Int) -> Int {
        var index = start
        while true {
            let others = Self.othersInName(self.word(at: index))
            guard others == 0 else { return index &+ Self.bytesBefore(others) }
            index &+= 8
        }
    }

    /// Returns the position after the run of letters, digits, hyphens and dots at `start`.
    @inline(__always)
    func endOfPlainHost(from start: Int) -> Int {
        var index = start
        while true {
            let others = Self.othersInHost(self.word(at: index))
            guard others == 0 else { return index &+ Self.bytesBefore(others) }
            index &+= 8
        }
    }

    /// Returns the position of the first control character other than HTAB at or after `start`, or
    /// the end of the bytes.
    @inline(__always)
    func endOfPlainValue(from start: Int) -> Int {
        var index = start
        while true {
            let controls = Self.controls(self.word(at: index))
            guard controls == 0 else { return index &+ Self.bytesBefore(controls) }
            index &+= 8
        }
    }

    /// Returns eight bytes as an integer, lowest byte first, with zeros in place of bytes after the end.
    @inlinable @inline(__always)
    package func word(at index: Int) -> UInt64 {
        precondition(index >= 0)
        guard index <= self.count &- 8 else { return self.lastWord(at: index) }
        return unsafe self.bytes.unsafeLoadUnaligned(
            fromUncheckedByteOffset: index,
            as: UInt64.self
        )
    }

    /// Returns up to seven bytes as an integer, with zeros in place of bytes after the end.
    @usableFromInline
    func lastWord(at start: Int) -> UInt64 {
        guard self.count < 8 else {
            let last = self.count &- 8
            let excess = start &- last
            return excess < 8 ? self.word(at: last) &>> UInt64(8 &* excess) : 0
        }
        var word: UInt64 = 0
        for index in stride(from: self.count - 1, through: start, by: -1) {
            word = word << 8 | UInt64(self[index])
        }
        return word
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    // These functions add to the lower seven bits of each byte, so that no carry reaches the next
    // byte; the highest bit then classifies the byte. Loops branch on these marks, instead of
    // advancing by the number of bytes before the first mark, so that the CPU can load the next
    // word before it knows whether the run ends in this one.

    /// Marks all bytes other than letters, digits and hyphens, by setting their highest bit.
    @inline(__always)
    private static func othersInName(_ word: UInt64) -> UInt64 {
        let low = word & ~Self.highBits
        let lowercase = low | Self.ones &* 0x20
        let letters =
            (lowercase &+ Self.ones &* (0x80 - 0x61)) & ~(lowercase &+ Self.ones &* (0x80 - 0x7B))
        let digits = (low &+ Self.ones &* (0x80 - 0x30)) & ~(low &+ Self.ones &* (0x80 - 0x3A))
        let notHyphens = (low ^ Self.ones &* UInt64(ASCII.hyphen)) &+ Self.ones &* 0x7F
        return (~(letters | digits) & notHyphens | word) & Self.highBits
    }

    /// Marks all bytes other than letters, digits, hyphens and dots, by setting their highest bit.
    @inline(__always)
    private static func othersInHost(_ word: UInt64) -> UInt64 {
        let low = word & ~Self.highBits
        let notDots = (low ^ Self.ones &* UInt64(ASCII.dot)) &+ Self.ones &* 0x7F
        return Self.othersInName(word) & (notDots | word)
    }

    /// Marks control characters, by setting their highest bit.
    @inline(__always)
    private static func controls(_ word: UInt64) -> UInt64 {
        let low = word & ~Self.highBits
        let visible = low &+ Self.ones &* (0x80 - 0x20)
        let notDelete = (low ^ Self.ones &* 0x7F) &+ Self.ones &* 0x7F
        return ~(visible & notDelete | word) & Self.highBits
    }

    /// Returns the number of bytes before the first marked byte.
    @inline(__always)
    private static func bytesBefore(_ marks: UInt64) -> Int {
        marks.trailingZeroBitCount &>> 3
    }
}
