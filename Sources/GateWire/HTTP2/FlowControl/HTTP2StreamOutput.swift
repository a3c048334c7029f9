public import NIOCore

/// The output of a stream that is waiting for space in a flow-control window.
///
/// Properties that are read for each frame are inlinable, because reading any other property from
/// another module first copies the whole value.
@usableFromInline
package struct HTTP2StreamOutput {
    /// How the stream ends after the waiting bytes.
    @usableFromInline
    enum Ending {
        case open
        case data
        case trailers(ByteBuffer)
        /// The last frame has been sent.
        case sent
    }

    /// The capacity in bytes of the largest buffer that is kept between exchanges.
    ///
    /// This is sufficient for most API responses.
    private static let keptCapacity = 2048
    /// The number of waiting bytes above which writers must pause.
    @inlinable package static var limit: Int { 64 * 1024 }

    @usableFromInline private(set) var pending = ByteBuffer()
    private var window = HTTP2SendWindow(0)
    @usableFromInline private(set) var ending = Ending.open
    /// Whether the stream is in its connection's queue of streams with output.
    package var isWaiting = false

    package init() {}

    /// The number of waiting bytes.
    @inlinable package var count: Int { self.pending.readableBytes }

    @inlinable package var isEmpty: Bool { self.pending.readableBytes == 0 }

    @inlinable package var hasRoom: Bool { self.pending.readableBytes < Self.limit }

    package var capacity: Int { self.pending.capacity }

    /// Whether the last frame has been sent.
    @inlinable package var hasEnded: Bool {
        if case .sent = self.ending { true } else { false }
    }

    /// Whether anything remains to be sent, including the end of the stream.
    @inlinable package var hasMore: Bool {
        switch self.ending {
        case .data, .trailers: true
        case .open, .sent: !self.isEmpty
        }
    }

    /// Prepares for another stream; `window` is the initial size of its send window.
    package mutating func begin(window: Int) {
        self.drop()
        self.window = HTTP2SendWindow(window)
        self.ending = .open
    }

    /// Discards the waiting bytes.
    package mutating func drop() {
        if self.pending.capacity > Self.keptCapacity {
            self.pending = ByteBuffer()
        } else {
            self.rewind()
        }
    }

    /// Empties the buffer, but keeps its memory.
    private mutating func rewind() {
        self.pending.moveReaderIndex(to: 0)
        self.pending.moveWriterIndex(to: 0)
    }

    @inline(__always)
    package mutating func append(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
        // A buffer that never becomes empty would otherwise keep growing.
        if self.pending.readerIndex >= Self.limit { self.pending.discardReadBytes() }
        self.pending.write(bytes, from: start, to: end)
    }

    /// Ends the stream after the bytes appended so far.
    ///
    /// `trailers` is the header block of the trailer section, or `nil` if there is none.
    package mutating func end(trailers: ByteBuffer?) {
        self.ending = trailers.map(Ending.trailers) ?? .data
    }

    /// Records that the stream ended with the HEADERS frame of the head.
    package mutating func endAtOnce() {
        self.ending = .sent
    }

    /// Increases the send window; returns `false` if the result exceeds the maximum.
    package mutating func widen(by increment: Int) -> Bool {
        self.window.widen(by: increment)
    }

    /// Writes the last content of a stream as one DATA frame.
    ///
    /// This is possible if nothing is waiting and the content fits into the flow-control windows
    /// and into a frame.
    ///
    /// - Returns: Whether the content was written; if not, it must be appended.
    @inline(__always)
    package mutating func writeLast(
        _ content: Span<UInt8>,
        atMost limit: Int,
        stream: UInt32,
        into out: inout ByteBuffer
    ) -> Bool {
        let room = Swift.min(self.window.left, Swift.min(limit, HTTP2FrameHeader.maxLength))
        guard self.isEmpty, content.count > 0, content.count <= room else { return false }
        out.writeDataFrame(content, endsStream: true, stream: stream)
        self.window.use(content.count)
        self.ending = .sent
        return true
    }

    /// Writes a DATA frame with waiting bytes.
    ///
    /// - Returns: The number of bytes in the frame, or 0 if the window is exhausted or no bytes are waiting.
    @inline(__always)
    package mutating func writeData(
        atMost limit: Int,
        stream: UInt32,
        into out: inout ByteBuffer
    ) -> Int {
        let waiting = self.pending.readableBytes
        let room = Swift.min(self.window.left, limit)
        let count = Swift.min(Swift.min(waiting, HTTP2FrameHeader.maxLength), room)
        guard count > 0 else { return 0 }
        var isLast = false
        if case .data = self.ending { isLast = count == waiting }
        let content = self.pending
        out.writeDataFrame(
            content.readableBytesUInt8Span.extracting(first: count),
            endsStream: isLast,
            stream: stream
        )
        self.pending.moveReaderIndex(forwardBy: count)
        self.window.use(count)
        if isLast {
            self.ending = .sent
            self.drop()
        } else if count == waiting {
            self.rewind()
        }
        return count
    }

    /// Writes the end of the stream after its content, if the stream is to end.
    ///
    /// - Returns: Whether the last frame was written.
    package mutating func writeEnd(of stream: UInt32, into outbox: inout HTTP2Outbox) -> Bool {
        switch self.ending {
        case .data: outbox.writeEnd(of: stream, trailers: nil)
        case .trailers(let block): outbox.writeEnd(of: stream, trailers: block)
        case .open, .sent: return false
        }
        self.ending = .sent
        return true
    }
}
