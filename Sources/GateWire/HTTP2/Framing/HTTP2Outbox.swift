public import NIOCore

/// A buffer of frames to write to the channel.
///
/// Frames are written together if they were created while received frames were being read, or
/// within the same event-loop tick.
@usableFromInline
package struct HTTP2Outbox {
    @usableFromInline package var frames = ByteBuffer()
    /// Whether a header block has set the size of the peer's dynamic table to zero.
    private var hasWrittenBlock = false
    /// Whether output is deferred because received frames are being read.
    package private(set) var isHeld = false
    /// Whether a task has been scheduled to write the output.
    package private(set) var isScheduled = false

    /// The size in bytes at which the buffer counts as full, so that large bodies do not accumulate.
    @inlinable package static var size: Int { 64 * 1024 }

    package init() {}

    @inlinable package var isEmpty: Bool { self.frames.readableBytes == 0 }

    @inlinable package var isFull: Bool { self.frames.readableBytes >= Self.size }

    /// Defers all output until `release()` is called; used while received frames are being read.
    package mutating func hold() {
        self.isHeld = true
    }

    /// Ends the deferral; called once all received frames have been read.
    package mutating func release() {
        self.isHeld = false
    }

    /// Requests a flush.
    ///
    /// - Returns: Whether the caller must schedule a task that calls `flushStarted()` and writes the output.
    @inline(__always)
    package mutating func needsFlush() -> Bool {
        guard !self.isHeld, !self.isScheduled else { return false }
        self.isScheduled = true
        return true
    }

    package mutating func flushStarted() {
        self.isScheduled = false
    }

    /// Removes and returns the bytes to write to the channel, or returns `nil` if there are none.
    ///
    /// The buffer is emptied before the write, because a write can make the channel writable
    /// immediately, so that more frames are appended.
    @inline(__always)
    package mutating func take() -> ByteBuffer? {
        guard self.frames.readableBytes > 0 else { return nil }
        var bytes = ByteBuffer()
        swap(&self.frames, &bytes)
        return bytes
    }

    /// Reuses the memory of written bytes.
    ///
    /// `clear()` keeps the memory only if the channel no longer references it, which means that the
    /// kernel has accepted all of the bytes.
    @inline(__always)
    package mutating func reuse(_ bytes: inout ByteBuffer) {
        guard self.frames.readableBytes == 0, bytes.capacity <= 2 * Self.size else { return }
        bytes.clear()
        swap(&self.frames, &bytes)
    }
}

/// The frames that the gate writes to clients and to backends.
extension HTTP2Outbox {
    /// Writes a header section whose header block is written by `write`.
    ///
    /// `fields` is the maximum number of fields, and `bytes` is the maximum total size of their
    /// names and values.
    package mutating func writeHeaders(
        stream: UInt32,
        endsStream: Bool,
        fields: Int,
        bytes: Int,
        _ write: (inout OutputRawSpan) -> Void
    ) {
        let start = self.frames.writerIndex
        let flags: HTTP2Flags = endsStream ? [.endHeaders, .endStream] : .endHeaders
        let isFirst = !self.hasWrittenBlock
        self.hasWrittenBlock = true
        let most = HTTP2FrameHeader.size + HPACKWriter.emptyTableCount + bytes
        var isTooLong = false
        self.frames.writeHeaderBlock(fields: fields, bytes: most) { output in
            output.writeFrameHeader(length: 0, type: .headers, flags: flags, stream: stream)
            if isFirst { HPACKWriter.writeEmptyTable(into: &output) }
            write(&output)
            isTooLong = !output.setFrameLength()
        }
        if isTooLong { self.frames.splitHeaderBlock(at: start, stream: stream) }
    }

    /// Writes the end of a stream whose content has all been written.
    package mutating func writeEnd(of stream: UInt32, trailers: ByteBuffer?) {
        guard let trailers else {
            return self.frames.writeFrameHeader(
                length: 0,
                type: .data,
                flags: .endStream,
                stream: stream
            )
        }
        let block = trailers.readableBytesUInt8Span
        self.writeHeaders(stream: stream, endsStream: true, fields: 0, bytes: block.count) {
            $0.write(block, from: 0, to: block.count)
        }
    }

    package mutating func acknowledgeSettings() {
        self.frames.writeFrameHeader(
            length: 0,
            type: .settings,
            flags: .acknowledgement,
            stream: 0
        )
    }

    /// Writes a PING, to check whether the peer is alive (RFC 9113 section 6.7).
    ///
    /// Any frame from the peer counts as a response.
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
    /// Splits the HEADERS frame at `start` into several frames (RFC 9113 section 4.3).
    ///
    /// The frame must be the last one in the buffer.
    fileprivate mutating func splitHeaderBlock(at start: Int, stream: UInt32) {
        let blockStart = start + HTTP2FrameHeader.size
        let count = self.writerIndex - blockStart
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
