public import NIOCore

/// The bytes that a stream has to send, as far as its peer makes no room for them yet, and its
/// ending.
///
/// Properties that are read for each frame are inlinable: read from another module, any other one copies the whole
/// value first.
@usableFromInline
package struct HTTP2StreamOutput {
    /// The end of the stream behind the bytes that wait.
    @usableFromInline
    enum Ending {
        case open
        case data
        case trailers(ByteBuffer)
        /// The last frame was sent.
        case sent
    }

    /// Memory that is kept from one exchange to the next: enough for most answers of an API.
    private static let keptCapacity = 2048
    /// How much may wait before whoever writes is told to stop.
    @inlinable package static var limit: Int { 64 * 1024 }

    @usableFromInline private(set) var pending = ByteBuffer()
    private var window = HTTP2SendWindow(0)
    @usableFromInline private(set) var ending = Ending.open
    /// Whether the stream stands in its connection's line of those with something to send.
    package var isWaiting = false

    package init() {}

    /// Bytes that wait.
    @inlinable package var count: Int { self.pending.readableBytes }

    @inlinable package var isEmpty: Bool { self.pending.readableBytes == 0 }

    @inlinable package var hasRoom: Bool { self.pending.readableBytes < Self.limit }

    /// Memory that it keeps.
    package var capacity: Int { self.pending.capacity }

    /// Whether the last frame was sent.
    @inlinable package var hasEnded: Bool {
        if case .sent = self.ending { return true }
        return false
    }

    /// Whether anything that was written is still to be sent, be it the end.
    @inlinable package var hasMore: Bool {
        switch self.ending {
        case .data, .trailers: true
        case .open, .sent: !self.isEmpty
        }
    }

    /// Begins anew; `window`: how much of a body the peer takes.
    package mutating func begin(window: Int) {
        self.drop()
        self.window = HTTP2SendWindow(window)
        self.ending = .open
    }

    /// Nothing more is sent.
    package mutating func drop() {
        if self.pending.capacity > Self.keptCapacity {
            self.pending = ByteBuffer()
        } else {
            self.rewind()
        }
    }

    /// The next bytes take the place of those that are gone.
    private mutating func rewind() {
        self.pending.moveReaderIndex(to: 0)
        self.pending.moveWriterIndex(to: 0)
    }

    @inline(__always)
    package mutating func append(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
        // Without this a body that never lets the buffer become empty would make it grow.
        if self.pending.readerIndex >= Self.limit { self.pending.discardReadBytes() }
        self.pending.write(bytes, from: start, to: end)
    }

    /// Nothing comes behind what was appended but perhaps trailer fields, as a header block.
    package mutating func end(trailers: ByteBuffer?) {
        self.ending = trailers.map(Ending.trailers) ?? .data
    }

    /// The last frame was sent with the head: there is nothing behind it.
    package mutating func endAtOnce() {
        self.ending = .sent
    }

    /// The peer makes room; `false`: more than it may.
    package mutating func widen(by increment: Int) -> Bool {
        self.window.widen(by: increment)
    }

    /// Writes a frame of what waits.
    ///
    /// - Returns: the bytes of it, 0 if the peer takes none.
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
        out.writeFrameHeader(
            length: count,
            type: .data,
            flags: isLast ? .endStream : [],
            stream: stream
        )
        out.write(self.pending.readableBytesUInt8Span, from: 0, to: count)
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

    /// Writes the end of the stream behind everything that waited, if it has been reached.
    ///
    /// - Returns: whether the last frame was written.
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
