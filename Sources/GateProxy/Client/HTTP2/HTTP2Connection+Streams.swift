import GateWire
import NIOCore

/// Methods that manage the streams.
extension HTTP2Connection {
    /// Returns a stream object for a new request.
    func takeStream() -> HTTP2Stream {
        self.idle.popLast() ?? HTTP2Stream(connection: self)
    }

    /// Handles the end of a stream.
    func isOver(_ stream: HTTP2Stream) {
        self.over.append(stream)
        self.flush()
    }

    /// Releases the streams that have ended.
    // Inlined, because it is called several times per request and usually has nothing to do.
    @inline(__always)
    func settle() {
        if !self.over.isEmpty { self.releaseEndedStreams() }
    }

    private func releaseEndedStreams() {
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

    /// Handles a frame on a stream that has ended or will not be served.
    ///
    /// The content of a DATA frame is counted as discarded. The frame is an error if the client could have
    /// known that the stream had ended, or if the frame shows that the request is malformed.
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
        // A header section on a closed stream is a connection error (RFC 9113 section 5.1).
        guard case .data = frame else { throw .streamClosed }
        try self.refuse(stream, .streamClosed)
    }

    /// Ends a stream because of a client error.
    ///
    /// The error counts like a reset by the client, so that a client cannot evade the limit by causing errors.
    func refuse(_ stream: UInt32, _ code: HTTP2ErrorCode) throws(HTTP2ErrorCode) {
        // Rejecting a stream costs little, and the client might not know the stream limit yet.
        let isCalm =
            code == .refusedStream
            ? self.budgets.control.charge(at: self.loop.now)
            : self.budgets.resets.charge(at: self.loop.now)
        guard isCalm else { throw .enhanceYourCalm }
        if let open = self.streams[stream], !open.isOver {
            open.reset(code)
        } else {
            self.writeReset(stream, code)
        }
    }

    /// Returns consumed bytes to the connection's flow-control window.
    func credit(_ count: Int) {
        guard let increment = self.receiveWindow.take(count), !self.isClosing else { return }
        self.writeWindowUpdate(0, increment: increment)
    }
}

/// Methods that end the connection.
extension HTTP2Connection {
    /// Sends `GOAWAY` with an error code, and closes the connection.
    func fail(_ code: HTTP2ErrorCode) {
        guard !self.isClosing else { return }
        let last = self.lastServedStream ?? self.lastStream
        self.stage = .closing
        self.reader.close()
        self.endAll()
        self.outbox.frames.writeGoAway(last: last, code)
        self.deadline = self.loop.now + self.loop.settings.timeouts.linger
        self.flushNow()
        // If both directions were closed while there were unread bytes, the client would lose the last frames.
        guard !self.inputClosed else { return self.closeWhenWritten() }
        self.output?.end()
    }

    /// Closes the connection once all frames are written, because the client sends no more frames.
    func closeWhenWritten() {
        self.stage = .closing
        self.reader.close()
        self.deadline = self.loop.now + self.loop.settings.timeouts.response
        self.flushNow()
        self.output?.whenWritten { self.context?.close(promise: nil) }
    }

    /// Handles the end of the client's input, which means that the client has closed its write side.
    ///
    /// The client can no longer end a request, increase a window or acknowledge a frame. The gate treats the
    /// client as disconnected, and ends each stream as after a reset. Only bytes that have been passed to the channel
    /// are still written.
    func clientEnded() {
        guard !self.streams.isEmpty, !self.isClosing else { return self.closeWhenWritten() }
        for stream in self.streams.all { stream.end() }
        self.settle()
    }

    /// Lets the streams complete before the gate exits.
    ///
    /// `grace` is how long new requests, which may be in transit, are still accepted (RFC 9113 section 6.8).
    func drain(grace: TimeAmount) {
        switch self.stage {
        case .opening where grace > .zero, .open where grace > .zero:
            self.outbox.frames.writeGoAway(last: Self.noLastStream, .noError)
            self.flush()
            self.context?.eventLoop.assumeIsolated().scheduleTask(in: grace) {
                self.drain(grace: .zero)
            }
        case .opening: self.fail(.noError)
        case .open where self.streams.isEmpty && self.closedStreams.unfinished.isEmpty:
            self.fail(.noError)
        case .open:
            self.stage = .draining(last: self.lastStream)
            self.outbox.frames.writeGoAway(last: self.lastStream, .noError)
            self.flush()
        case .draining, .closing: break
        }
    }

    /// The stream ID in a `GOAWAY` that announces the shutdown before the last stream is known.
    private static let noLastStream = UInt32(Int32.max)

    func deadlineReached() {
        switch self.stage {
        case .closing: self.abort()
        case .opening, .open, .draining: self.fail(.noError)
        }
    }

    func abort() {
        self.stage = .closing
        self.context?.close(promise: nil)
    }
}
