import NIOCore

extension ByteBuffer {
    /// Says how long a frame is that begins at a place and holds a header block, or makes several of
    /// it (RFC 9113 4.3).
    mutating func endHeaderBlock(at start: Int, stream: UInt32) {
        let blockStart = start + HTTP2FrameHeader.size
        let count = self.writerIndex - blockStart
        guard count > HTTP2FrameHeader.maxLength else {
            // The length is 24 bits, and the type stands behind it.
            let type = HTTP2FrameType.headers.rawValue
            self.setInteger(UInt32(count) << 8 | UInt32(type), at: start)
            return
        }
        guard var block = self.getSlice(at: blockStart, length: count),
            let flags = self.getInteger(at: start + 4, as: UInt8.self)
        else { return }
        self.moveWriterIndex(to: start)
        var type = HTTP2FrameType.headers
        while let piece = block.readSlice(
            length: Swift.min(block.readableBytes, HTTP2FrameHeader.maxLength)
        ), piece.readableBytes > 0 {
            var pieceFlags = type == .headers ? HTTP2Flags(rawValue: flags) : []
            pieceFlags.remove(.endHeaders)
            if block.readableBytes == 0 { pieceFlags.insert(.endHeaders) }
            self.writeFrameHeader(
                length: piece.readableBytes,
                type: type,
                flags: pieceFlags,
                stream: stream
            )
            self.writeImmutableBuffer(piece)
            type = .continuation
        }
    }
}
