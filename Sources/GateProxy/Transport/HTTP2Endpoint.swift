import GateWire
import NIOCore

/// The gate's side of an HTTP/2 connection to a client or a backend.
protocol HTTP2Endpoint: HTTP2Sending {
    var eventLoop: any EventLoop { get }
    /// The output to the peer, or `nil` after the handler has been removed.
    var output: ChannelOutput? { get }
    /// Whether the connection is closing, so that further input is discarded.
    var isClosing: Bool { get }
    var reader: HTTP2FrameReader { get set }
    var peer: HTTP2PeerSettings { get set }
    var streams: HTTP2StreamTable<Stream> { get }

    /// Whether the remaining received frames must wait for the next event-loop tick.
    var isTickBudgetSpent: Bool { get }

    func read(_ frame: HTTP2ReceivedFrame) throws(HTTP2ErrorCode)
    /// Releases the streams that have ended; not called while one of them handles an event.
    func settle()
    /// Sends a connection error to the peer, and closes the connection.
    func fail(_ code: HTTP2ErrorCode)
}

extension HTTP2Endpoint {
    /// The context of the handler, or `nil` after the handler has been removed.
    var context: ChannelHandlerContext? { self.output?.context }

    /// Handles bytes from the peer; the caller must call `receivedAll()` afterwards.
    @inline(__always)
    func received(_ bytes: ByteBuffer) {
        guard !self.isClosing else { return }
        self.reader.append(bytes)
        self.processInbound()
    }

    /// Handles as many received frames as one tick permits; the caller must call `receivedAll()` afterwards.
    @inline(__always)
    func processInbound() {
        self.outbox.hold()
        do throws(HTTP2ErrorCode) {
            while !self.isClosing, !self.isTickBudgetSpent, let frame = try self.reader.next() {
                try self.read(frame)
            }
        } catch {
            self.fail(error)
        }
        if self.isClosing { self.reader.close() } else { self.reader.rest() }
    }

    /// Handles the end of the available input.
    func receivedAll() {
        self.outbox.release()
        self.settle()
        // The output is not written at once, because NIO does not expect a failed write to close
        // the channel during `channelReadComplete`.
        if !self.outbox.isEmpty { self.flush() }
    }

    /// Applies the peer's settings.
    ///
    /// - Returns: The change in the streams' send windows.
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

/// The output to the channel.
extension HTTP2Endpoint {
    /// Schedules a write of the outbox, so that the output of all streams in the current event-loop
    /// tick is written together.
    func flush() {
        guard self.outbox.needsFlush() else { return }
        self.eventLoop.assumeIsolated().execute {
            self.outbox.flushStarted()
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
