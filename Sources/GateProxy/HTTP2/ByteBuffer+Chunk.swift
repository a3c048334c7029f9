import NIOCore

extension ByteBuffer {
    /// Writes a chunk of a body, none if it is empty, and the end behind the last one (RFC 9112
    /// 7.1).
    mutating func writeChunk(_ data: ByteBuffer, isLast: Bool) {
        if data.readableBytes > 0 {
            self.writeString(String(data.readableBytes, radix: 16))
            self.writeStaticString("\r\n")
            self.writeImmutableBuffer(data)
            self.writeStaticString("\r\n")
        }
        if isLast { self.writeStaticString("0\r\n\r\n") }
    }
}
