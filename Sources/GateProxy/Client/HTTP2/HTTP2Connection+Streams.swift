import GateWire
import NIOCore

/// The streams and their ends.
extension HTTP2Connection {
    /// A stream for another request.
    func takeStream() -> HTTP2Stream {
        self.idle.popLast() ?? HTTP2Stream(connection: self)
    }

    /// Nothing more is sent or received on a stream.
    func isOver(_ stream: HTTP2Stream) {
        self.over.append(stream)
        self.flush()
    }

    func settle() {
        guard !self.over.isEmpty else { return }
        while let stream = self.over.popLast() {
            self.streams[stream.id] = nil
            if self.line.remove(stream), stream.client.leaveStream(),
                self.idle.count < Self.maxStreams
            {
                self.idle.append(stream)
            } else {
                stream.client.gone()
                stream.client.transport = .none
            }
        }
        self.becomeIdleIfEmpty()
    }

    func becomeIdleIfEmpty() {
        guard self.streams.isEmpty, self.closedStreams.unfinished.isEmpty, !self.isClosing else {
            return
        }
        self.deadline = self.loop.now + self.loop.settings.timeouts.idle
        if case .draining = self.stage { return self.fail(.noError) }
        if self.inputClosed { self.closeWhenWritten() }
    }

    func endAll() {
        for stream in self.streams.all { stream.end() }
        self.settle()
        for stream in self.idle { stream.client.transport = .none }
        self.idle = []
        self.line.removeAll()
    }

    func writeReset(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        self.outbox.frames.writeResetStream(stream, code)
        self.closedStreams.wasReset(stream)
    }

    /// Takes a frame of a stream that is over or will not be served.
    ///
    /// The frame is an error if the client could know that, or if it shows that the request is malformed.
    func passOver(
        _ frame: ClosedStreamTracker.Frame,
        of stream: UInt32,
        isLast: Bool
    ) throws(HTTP2ErrorCode) {
        if let last = self.lastServedStream, stream > last { return }
        let passesOver: Bool
        do throws(HTTP2ErrorCode) {
            passesOver = try self.closedStreams.passesOver(frame, of: stream, isLast: isLast)
        } catch {
            return try self.refuse(stream, error)
        }
        if passesOver {
            if case .data(let count, _) = frame { self.discarded(count, of: stream) }
            return self.becomeIdleIfEmpty()
        }
        // A header section on a stream that is long closed may end the connection (RFC 9113 5.1).
        guard case .data = frame else { throw .streamClosed }
        try self.refuse(stream, .streamClosed)
    }

    /// Ends a stream because of something that the client did.
    ///
    /// It counts like a reset of the client: one can be made to bring about the other.
    func refuse(_ stream: UInt32, _ code: HTTP2ErrorCode) throws(HTTP2ErrorCode) {
        // To refuse one that is too many costs little, and a client may not know yet how many are.
        let isCalm =
            code == .refusedStream
            ? self.control.charge(at: self.loop.now) : self.resets.charge(at: self.loop.now)
        guard isCalm else { throw .enhanceYourCalm }
        if let open = self.streams[stream], !open.isOver {
            open.reset(code)
        } else {
            self.writeReset(stream, code)
        }
    }

    /// Bytes of a body are gone, and others may come.
    func credit(_ count: Int) {
        guard let increment = self.receiveWindow.take(count), !self.isClosing else { return }
        self.writeWindowUpdate(0, increment: increment)
    }
}
