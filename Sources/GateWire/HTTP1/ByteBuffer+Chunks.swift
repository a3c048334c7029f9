package import NIOCore

extension ByteBuffer {
    /// Returns the first `length` readable bytes without the ranges in `gaps`.
    ///
    /// The gaps are in ascending order and relative to the reader index. Nothing is copied if there
    /// are no gaps.
    package func slice(of length: Int, without gaps: [Range<Int>]) -> ByteBuffer? {
        guard !gaps.isEmpty else { return self.getSlice(at: self.readerIndex, length: length) }
        var slice = ByteBufferAllocator().buffer(capacity: length)
        let bytes = self.readableBytesUInt8Span
        var start = 0
        for gap in gaps {
            slice.write(bytes, from: start, to: gap.lowerBound)
            start = gap.upperBound
        }
        slice.write(bytes, from: start, to: length)
        return slice
    }

    /// Writes three byte arrays, reserving space only once.
    package mutating func writeTogether(_ first: [UInt8], _ second: [UInt8], _ third: [UInt8]) {
        let count = first.count + second.count + third.count
        unsafe self.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            var rest = unsafe space
            unsafe Self.move(first, into: &rest)
            unsafe Self.move(second, into: &rest)
            unsafe Self.move(third, into: &rest)
            return count
        }
    }

    private static func move(_ piece: [UInt8], into rest: inout UnsafeMutableRawBufferPointer) {
        unsafe rest.copyBytes(from: piece)
        unsafe rest = .init(rebasing: rest[piece.count...])
    }
}

extension ByteBuffer {
    /// CR LF.
    private static let lineEnd: UInt16 = 0x0D0A

    /// Writes `data` as a chunk unless it is empty, then the last chunk if `isLast` is true (RFC
    /// 9112 section 7.1).
    package mutating func writeChunk(_ data: ByteBuffer, isLast: Bool) {
        if data.readableBytes > 0 {
            self.writeHexadecimal(data.readableBytes)
            self.writeInteger(Self.lineEnd)
            self.writeImmutableBuffer(data)
            self.writeInteger(Self.lineEnd)
        }
        if isLast { self.writeStaticString("0\r\n\r\n") }
    }

    /// Writes a number greater than zero in hexadecimal digits.
    ///
    /// No string is created, because that would be too expensive for chunks as small as one byte.
    private mutating func writeHexadecimal(_ number: Int) {
        var shift = (number.bitWidth - 1 - number.leadingZeroBitCount) & ~3
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: number >> shift) & 0x0F
            self.writeInteger(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
            shift -= 4
        }
    }
}
