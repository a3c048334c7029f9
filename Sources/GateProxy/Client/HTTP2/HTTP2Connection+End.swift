import GateWire
import NIOCore

/// The end of the connection.
extension HTTP2Connection {
    /// Tells the client why it is over, and closes.
    func fail(_ code: HTTP2ErrorCode) {
        guard !self.isClosing else { return }
        self.stage = .closing
        self.reader.close()
        self.endAll()
        self.outbox.frames.writeGoAway(last: self.lastServedStream ?? self.lastStream, code)
        self.deadline = self.loop.now + self.loop.settings.timeouts.linger
        self.flushNow()
        // Closed altogether with bytes unread, the client would lose what it was told.
        guard !self.inputClosed else { return self.closeWhenWritten() }
        self.output?.end()
    }

    /// Closes as soon as the client, who says no more, has taken everything.
    func closeWhenWritten() {
        self.stage = .closing
        self.reader.close()
        self.deadline = self.loop.now + self.loop.settings.timeouts.response
        self.flushNow()
        self.output?.whenWritten { self.context?.close(promise: nil) }
    }

    /// The client has closed its side.
    ///
    /// HTTP/2 has no use for half a connection: the client can end no request, make no room for an
    /// answer, and acknowledge nothing any more. It counts as gone, and each stream ends as by a reset;
    /// only what the channel has already is still written.
    func clientEnded() {
        guard !self.streams.isEmpty, !self.isClosing else { return self.closeWhenWritten() }
        for stream in self.streams.all { stream.end() }
        self.settle()
    }

    /// The gate is about to stop.
    ///
    /// `grace`: how long requests that are on their way are still taken (RFC 9113 6.8).
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
            self.stage = .draining
            self.lastServedStream = self.lastStream
            self.outbox.frames.writeGoAway(last: self.lastStream, .noError)
            self.flush()
        case .draining, .closing: break
        }
    }

    /// Announces an end without saying yet which stream is the last.
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
