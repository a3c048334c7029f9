import NIOCore

extension ByteBuffer {
    /// CR LF.
    private static let lineEnd: UInt16 = 0x0D0A

    /// Writes a chunk of a body, none if it is empty, and the end behind the last one (RFC 9112
    /// 7.1).
    mutating func writeChunk(_ data: ByteBuffer, isLast: Bool) {
        if data.readableBytes > 0 {
            self.writeHexadecimal(data.readableBytes)
            self.writeInteger(Self.lineEnd)
            self.writeImmutableBuffer(data)
            self.writeInteger(Self.lineEnd)
        }
        if isLast { self.writeStaticString("0\r\n\r\n") }
    }

    /// Writes the digits of a number above zero; without a text, as chunks may be a byte each.
    private mutating func writeHexadecimal(_ number: Int) {
        var shift = (number.bitWidth - 1 - number.leadingZeroBitCount) & ~3
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: number >> shift) & 0x0F
            self.writeInteger(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
            shift -= 4
        }
    }
}
