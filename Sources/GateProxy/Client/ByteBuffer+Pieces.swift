import NIOCore

extension ByteBuffer {
    /// Its first bytes without some of them; those are counted from its reader index, and in order.
    ///
    /// Without gaps nothing is copied.
    func slice(of length: Int, without gaps: [Range<Int>]) -> ByteBuffer? {
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

    /// Writes three pieces behind one another, making room once.
    mutating func writeTogether(_ first: [UInt8], _ second: [UInt8], _ third: [UInt8]) {
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
