import GateWire
import NIOCore

/// A connection that sends what its streams have to send, as far as its peer makes room for all of
/// them together and for each of them (RFC 9113 5.2).
///
/// Streams take turns: a frame of each, so that a large body does not hold up small ones.
protocol HTTP2Sending: AnyObject {
    associatedtype Stream: HTTP2Sender

    /// Whether the channel takes more.
    var isWritable: Bool { get }
    var outbox: HTTP2Outbox { get set }
    /// How much of all bodies together the peer takes.
    var sendWindow: HTTP2SendWindow { get set }
    var line: HTTP2SendLine<Stream> { get set }

    /// A frame of a body was written.
    func wrote(_ count: Int, of stream: Stream)
    /// Hands what was written to the channel soon.
    func flush()
    /// Hands it to the channel now.
    func flushNow()
}

extension HTTP2Sending {
    /// Sends what a stream has to send, as far as there is room; the rest waits for its turn.
    func send(_ stream: Stream) {
        self.write(from: stream, atMost: .max)
        if !stream.isOver, !stream.output.isEmpty, self.line.join(stream) { stream.waits() }
        self.flush()
    }

    /// Sends what waits, a frame of each stream in turn.
    func pump() {
        // How many in a row could send nothing: once it is all of them, none can.
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
            if hasEnded { return stream.hasSentLast() }
        }
        guard stream.output.isEmpty else { return }
        if stream.output.writeEnd(of: stream.id, into: &self.outbox) {
            stream.hasSentLast()
        } else if !stream.output.hasEnded {
            stream.hasSentAll()
        }
    }

    /// The peer makes room for all streams.
    func widen(by increment: Int) throws(HTTP2ErrorCode) {
        guard increment > 0 else { throw .protocolError }
        guard self.sendWindow.widen(by: increment) else { throw .flowControlError }
        self.pump()
    }

    /// The peer makes room for one stream.
    func widen(_ stream: Stream, by increment: Int) throws(HTTP2ErrorCode) {
        guard increment > 0 else { throw .protocolError }
        guard stream.output.widen(by: increment) else { throw .flowControlError }
        if stream.output.isWaiting { self.pump() }
    }
}

/// A stream that has something to send.
protocol HTTP2Sender: AnyObject {
    var id: UInt32 { get }
    /// Nothing more is sent or received.
    var isOver: Bool { get }
    var output: HTTP2StreamOutput { get set }

    /// Something of what waited was sent, or it has begun to wait.
    func waits()
    /// All there is so far was sent; the end is still to come.
    func hasSentAll()
    /// The last frame was sent.
    func hasSentLast()
    /// The writer may go on.
    func becameWritable()
}

/// Not every stream has to hear of everything.
extension HTTP2Sender {
    func waits() {}
    func hasSentAll() {}
    func hasSentLast() {}
}

/// Streams with something to send, in the order of their turns.
struct HTTP2SendLine<Stream: HTTP2Sender> {
    private var streams = CircularBuffer<Stream>()

    var count: Int { self.streams.count }

    /// - Returns: whether the stream did not stand in the line already.
    mutating func join(_ stream: Stream) -> Bool {
        guard !stream.output.isWaiting else { return false }
        stream.output.isWaiting = true
        self.streams.append(stream)
        return true
    }

    /// The stream whose turn it is, which must `stay` or `leave` thereafter.
    mutating func next() -> Stream? {
        self.streams.popFirst()
    }

    /// It has more to send, and its turn comes again behind those of all others.
    mutating func stay(_ stream: Stream) {
        self.streams.append(stream)
    }

    func leave(_ stream: Stream) {
        stream.output.isWaiting = false
    }

    /// Takes out a stream that is over.
    ///
    /// - Returns: whether nobody here has anything more to do with it; `false`: it has its turn.
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
