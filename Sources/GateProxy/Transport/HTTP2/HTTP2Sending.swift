import GateWire
import NIOCore

/// A connection that sends the output of its streams within the flow-control windows (RFC 9113 section 5.2).
///
/// The streams send one frame each in turn, so that a large body does not delay small ones.
protocol HTTP2Sending: AnyObject {
    associatedtype Stream: HTTP2Sender

    /// Whether the channel is writable.
    var isWritable: Bool { get }
    var outbox: HTTP2Outbox { get set }
    /// The send window of the connection.
    var sendWindow: HTTP2SendWindow { get set }
    var line: HTTP2SendQueue<Stream> { get set }

    /// Called after a DATA frame with `count` bytes of content has been written.
    func wrote(_ count: Int, of stream: Stream)
    /// Schedules a write of the outbox to the channel.
    func flush()
    /// Writes the outbox to the channel immediately.
    func flushNow()
}

extension HTTP2Sending {
    /// Sends the output of a stream within the flow-control windows, and queues the stream if output remains.
    func send(_ stream: Stream) {
        self.write(from: stream, atMost: .max)
        if !stream.isOver, !stream.output.isEmpty, self.line.join(stream) { stream.waits() }
        self.flush()
    }

    /// Sends the last content of a stream without queueing it, if possible.
    ///
    /// - Returns: Whether the content was sent and the stream has ended; otherwise, the caller must
    ///   queue the content.
    func sendLast(_ content: Span<UInt8>, of stream: Stream) -> Bool {
        guard self.isWritable,
            stream.output.writeLast(
                content,
                atMost: self.sendWindow.left,
                stream: stream.id,
                into: &self.outbox.frames
            )
        else { return false }
        self.sendWindow.use(content.count)
        self.wrote(content.count, of: stream)
        if self.outbox.isFull { self.flushNow() }
        stream.didSendLastFrame()
        self.flush()
        return true
    }

    /// Sends pending output, one frame of each stream in turn.
    func pump() {
        // The number of consecutive streams that could not send. Once it reaches the number of
        // queued streams, no stream can send.
        var blocked = 0
        while blocked < self.line.count, self.sendWindow.left > 0, self.isWritable,
            let stream = self.line.next()
        {
            let hadRoom = stream.output.hasRoom
            let before = stream.output.count
            if !stream.isOver { self.write(from: stream, atMost: HTTP2FrameHeader.maxLength) }
            if stream.isOver || stream.output.isEmpty {
                self.line.leave(stream)
                blocked = 0
            } else {
                self.line.stay(stream)
                if stream.output.count < before {
                    blocked = 0
                    stream.waits()
                } else {
                    blocked += 1
                }
            }
            if !hadRoom, !stream.isOver, stream.output.hasRoom, self.isWritable {
                stream.becameWritable()
            }
        }
        self.flush()
    }

    private func write(from stream: Stream, atMost limit: Int) {
        var left = limit
        while left > 0, !stream.output.isEmpty {
            guard self.isWritable else { return }
            let count = stream.output.writeData(
                atMost: Swift.min(self.sendWindow.left, left),
                stream: stream.id,
                into: &self.outbox.frames
            )
            guard count > 0 else { return }
            self.sendWindow.use(count)
            left -= count
            self.wrote(count, of: stream)
            let hasEnded = stream.output.hasEnded
            if self.outbox.isFull { self.flushNow() }
            if hasEnded { return stream.didSendLastFrame() }
        }
        guard stream.output.isEmpty else { return }
        if stream.output.writeEnd(of: stream.id, into: &self.outbox) {
            stream.didSendLastFrame()
        } else if !stream.output.hasEnded {
            stream.didSendPending()
        }
    }

    /// Increases the send window of the connection.
    func widen(by increment: Int) throws(HTTP2ErrorCode) {
        guard increment > 0 else { throw .protocolError }
        guard self.sendWindow.widen(by: increment) else { throw .flowControlError }
        self.pump()
    }

    /// Increases the send window of a stream.
    func widen(_ stream: Stream, by increment: Int) throws(HTTP2ErrorCode) {
        guard increment > 0 else { throw .protocolError }
        guard stream.output.widen(by: increment) else { throw .flowControlError }
        if stream.output.isWaiting { self.pump() }
    }
}

/// A stream that sends content, and is notified of its progress.
protocol HTTP2Sender: AnyObject {
    var id: UInt32 { get }
    /// Whether the stream has ended in both directions.
    var isOver: Bool { get }
    var output: HTTP2StreamOutput { get set }

    /// Called when output has become pending, or when part of the pending output has been sent.
    func waits()
    /// Called when all output so far has been sent, except for the end of the stream.
    func didSendPending()
    /// Called when the last frame has been sent.
    func didSendLastFrame()
    /// Called when the stream is writable again.
    func becameWritable()
}

/// Empty default implementations, for types that need only some of these events.
extension HTTP2Sender {
    func waits() {}
    func didSendPending() {}
    func didSendLastFrame() {}
}

/// A queue of the streams with pending output, in the order of their turns.
struct HTTP2SendQueue<Stream: HTTP2Sender> {
    private var streams = CircularBuffer<Stream>()

    var count: Int { self.streams.count }

    /// Adds a stream to the queue, unless the queue contains it.
    ///
    /// - Returns: Whether the stream was added.
    mutating func join(_ stream: Stream) -> Bool {
        guard !stream.output.isWaiting else { return false }
        stream.output.isWaiting = true
        self.streams.append(stream)
        return true
    }

    /// Removes and returns the stream whose turn it is; the caller must then call `stay` or `leave`.
    mutating func next() -> Stream? {
        self.streams.popFirst()
    }

    /// Puts a stream with further output back at the end of the queue.
    mutating func stay(_ stream: Stream) {
        self.streams.append(stream)
    }

    func leave(_ stream: Stream) {
        stream.output.isWaiting = false
    }

    /// Removes a stream that has ended.
    ///
    /// - Returns: Whether the stream can be released: `false` during its turn.
    mutating func remove(_ stream: Stream) -> Bool {
        guard stream.output.isWaiting else { return true }
        guard let index = self.streams.firstIndex(where: { $0 === stream }) else { return false }
        self.streams.remove(at: index)
        stream.output.isWaiting = false
        return true
    }

    mutating func removeAll() {
        self.streams = []
    }
}
