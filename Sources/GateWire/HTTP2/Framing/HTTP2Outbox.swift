public import NIOCore

/// Frames that were not yet handed to the channel, and when they are: what becomes ready while
/// frames are read, or in one turn of the loop, goes out together.
@usableFromInline
package struct HTTP2Outbox {
    @usableFromInline package var frames = ByteBuffer()
    /// Whether a header block has told the peer that its table is not used.
    private var hasWrittenBlock = false
    /// Frames are being read, and what they bring about goes out behind the last of them.
    package private(set) var isHeld = false
    /// Whether a turn of the loop was asked for.
    package private(set) var isScheduled = false

    /// Large bodies do not pile up here.
    @inlinable package static var size: Int { 64 * 1024 }

    package init() {}

    @inlinable package var isEmpty: Bool { self.frames.readableBytes == 0 }

    @inlinable package var isFull: Bool { self.frames.readableBytes >= Self.size }

    /// Frames are read until `release`.
    package mutating func hold() {
        self.isHeld = true
    }

    /// Every frame that was there has been read.
    package mutating func release() {
        self.isHeld = false
    }

    /// Something is to go out.
    ///
    /// - Returns: whether a turn of the loop has to be asked for, which `turnHasCome` ends.
    @inline(__always)
    package mutating func needsTurn() -> Bool {
        guard !self.isHeld, !self.isScheduled else { return false }
        self.isScheduled = true
        return true
    }

    package mutating func turnHasCome() {
        self.isScheduled = false
    }

    /// The bytes that go to the channel now, if there are any.
    ///
    /// It is no longer here when it goes: the channel may say at once that it has room again, and
    /// more be written.
    @inline(__always)
    package mutating func take() -> ByteBuffer? {
        guard self.frames.readableBytes > 0 else { return nil }
        var bytes = ByteBuffer()
        swap(&self.frames, &bytes)
        return bytes
    }

    /// The bytes that were taken are with the channel; the same memory serves again if the kernel
    /// has taken everything.
    @inline(__always)
    package mutating func reuse(_ bytes: inout ByteBuffer) {
        guard self.frames.readableBytes == 0, bytes.capacity <= 2 * Self.size else { return }
        bytes.clear()
        swap(&self.frames, &bytes)
    }
}

/// The frames that both sides of the gate write.
extension HTTP2Outbox {
    /// Begins a header section; its block follows, and then `endHeaders`.
    ///
    /// - Returns: where it begins.
    package mutating func beginHeaders(stream: UInt32, endsStream: Bool) -> Int {
        let start = self.frames.writerIndex
        self.frames.writeFrameHeader(
            length: 0,
            type: .headers,
            flags: endsStream ? [.endHeaders, .endStream] : .endHeaders,
            stream: stream
        )
        if !self.hasWrittenBlock {
            self.hasWrittenBlock = true
            HPACKWriter.writeEmptyTable(into: &self.frames)
        }
        return start
    }

    package mutating func endHeaders(at start: Int, stream: UInt32) {
        self.frames.endHeaderBlock(at: start, stream: stream)
    }

    /// The end of a stream behind everything that it has sent.
    package mutating func writeEnd(of stream: UInt32, trailers: ByteBuffer?) {
        guard let trailers else {
            return self.frames.writeFrameHeader(
                length: 0,
                type: .data,
                flags: .endStream,
                stream: stream
            )
        }
        let start = self.beginHeaders(stream: stream, endsStream: true)
        self.frames.writeImmutableBuffer(trailers)
        self.endHeaders(at: start, stream: stream)
    }

    package mutating func acknowledgeSettings() {
        self.frames.writeFrameHeader(
            length: 0,
            type: .settings,
            flags: .acknowledgement,
            stream: 0
        )
    }

    /// Asks whether the peer is still there; its answer is a frame like any other (RFC 9113 6.7).
    package mutating func writePing() {
        self.frames.writeFrameHeader(length: 8, type: .ping, stream: 0)
        self.frames.writeInteger(UInt64(0))
    }

    package mutating func answerPing(_ payload: ByteBuffer) {
        self.frames.writeFrameHeader(
            length: payload.readableBytes,
            type: .ping,
            flags: .acknowledgement,
            stream: 0
        )
        self.frames.writeImmutableBuffer(payload)
    }
}

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
