package import NIOCore

extension ByteBuffer {
    /// Returns the first `length` readable bytes without the ranges in `gaps`.
    ///
    /// The gaps must be in ascending order, relative to the reader index. If there are no gaps,
    /// nothing is copied.
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

    /// Writes three byte arrays, reserving space for all of them at once.
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
    /// CR LF, as an integer in network byte order.
    private static let lineEnd: UInt16 = 0x0D0A

    /// Writes `data` as a chunk unless it is empty, and then the last chunk if `isLast` is `true`.
    ///
    /// See RFC 9112 section 7.1.
    package mutating func writeChunk(_ data: ByteBuffer, isLast: Bool) {
        if data.readableBytes > 0 {
            self.writeHexadecimal(data.readableBytes)
            self.writeInteger(Self.lineEnd)
            self.writeImmutableBuffer(data)
            self.writeInteger(Self.lineEnd)
        }
        if isLast { self.writeStaticString("0\r\n\r\n") }
    }

    /// Writes a positive number in hexadecimal digits.
    ///
    /// Creating a string would be too expensive for chunks as small as one byte.
    private mutating func writeHexadecimal(_ number: Int) {
        var shift = (number.bitWidth - 1 - number.leadingZeroBitCount) & ~3
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: number >> shift) & 0x0F
            self.writeInteger(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
            shift -= 4
        }
    }
}
