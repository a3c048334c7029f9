import NIOCore

extension ByteBuffer {
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
