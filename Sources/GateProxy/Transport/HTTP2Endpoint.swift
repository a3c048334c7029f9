import GateWire
import NIOCore

/// The gate's end of an HTTP/2 connection, to a client or to a backend: what is the same on both
/// sides.
protocol HTTP2Endpoint: HTTP2Sending {
    var eventLoop: any EventLoop { get }
    /// The way to the peer; `nil`: there is none any more.
    var output: ChannelOutput? { get }
    /// Whether it is over; whatever still comes is thrown away.
    var isClosing: Bool { get }
    var reader: HTTP2FrameReader { get set }
    var peer: HTTP2PeerSettings { get set }
    var streams: HTTP2StreamTable<Stream> { get }

    /// Whether the frames that have arrived are left for the next turn of the loop.
    var isTurnOver: Bool { get }

    /// Does what a frame says.
    func read(_ frame: HTTP2ReceivedFrame) throws(HTTP2ErrorCode)
    /// Lets go of the streams that are over; not while one of them is at work.
    func settle()
    /// Tells the peer what it did wrong, and closes.
    func fail(_ code: HTTP2ErrorCode)
}

extension HTTP2Endpoint {
    /// Takes bytes of the peer; `receivedAll` follows.
    @inline(__always)
    func received(_ bytes: ByteBuffer) {
        guard !self.isClosing else { return }
        self.reader.append(bytes)
        self.readOn()
    }

    /// Reads the frames that have arrived, as many as one turn may have; `receivedAll` follows.
    @inline(__always)
    func readOn() {
        self.outbox.hold()
        do throws(HTTP2ErrorCode) {
            while !self.isClosing, !self.isTurnOver, let frame = try self.reader.next() {
                try self.read(frame)
            }
        } catch {
            self.fail(error)
        }
        if self.isClosing { self.reader.close() } else { self.reader.rest() }
    }

    /// Everything that was there to be received was.
    func receivedAll() {
        self.outbox.release()
        self.settle()
        // Not at once: NIO does not expect that a failed write ends the channel while it is being told
        // that everything was read.
        if !self.outbox.isEmpty { self.flush() }
    }

    /// Heeds what the peer says of itself.
    ///
    /// - Returns: by how much its streams take more than before.
    func apply(settings payload: ByteBuffer) throws(HTTP2ErrorCode) -> Int {
        let change = try self.peer.apply(payload)
        if change != 0 {
            for stream in self.streams.all {
                guard stream.output.widen(by: change) else { throw .flowControlError }
            }
        }
        self.outbox.acknowledgeSettings()
        return change
    }

    func writeWindowUpdate(_ stream: UInt32, increment: Int) {
        self.outbox.frames.writeWindowUpdate(stream, increment: increment)
        self.flush()
    }
}

/// The way to the channel.
extension HTTP2Endpoint {
    /// Hands what is ready to the channel before the loop turns to other things: what becomes ready
    /// together, of many streams, goes out together.
    func flush() {
        guard self.outbox.needsTurn() else { return }
        self.eventLoop.assumeIsolated().execute {
            self.outbox.turnHasCome()
            self.settle()
            self.flushNow()
        }
    }

    func flushNow() {
        guard let output = self.output, var bytes = self.outbox.take() else { return }
        output.writeAndFlush(&bytes)
        self.outbox.reuse(&bytes)
    }
}
