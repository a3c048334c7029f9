import GateWire
import NIOCore

/// How a connection ends, and when.
extension ClientConnection {
    /// Closes at once, whatever is under way.
    func abort() {
        self.exchange.close()
        self.dropUpstream()
        self.transport.close()
    }

    /// Closes with a reset: where a close is the end of the body, nothing else can tell the client
    /// that there should have been more.
    func reset() {
        self.transport.prepareReset()
        self.abort()
    }

    /// Closes for writing once everything is written, and altogether once the client has closed,
    /// too, or has had its time.
    func linger() {
        self.discardRoom = HTTP2OwnSettings.firstWindow
        self.flush()
        // The answer may take as long as any other; only then does the goodbye begin.
        self.renewDeadline()
        self.transport.whenWritten {
            // NIO would give up what is not yet written if the client's side is closed already.
            guard !self.inputClosed else {
                self.transport.endContent()
                return self.abort()
            }
            self.exchange.lastWasWritten(
                end: self.loop.now + self.loop.settings.discardLimits.time
            )
            self.renewDeadline()
            self.transport.closeOutput()
        }
    }

    /// Closes altogether once everything is written, to the client and to the backend.
    func closeAfterWriting() {
        self.exchange.close()
        self.flush()
        self.renewDeadline()
        self.transport.whenWritten {
            guard let upstream = self.upstream else { return self.abort() }
            upstream.whenWritten { self.abort() }
        }
    }

    /// The gate is about to stop.
    ///
    /// `grace`: how long an idle connection may stay; a request that is on its way to it would be
    /// lost otherwise.
    func drain(grace: TimeAmount) {
        self.exchange.drain()
        if case .streaming = self.exchange { self.endStream() }
        // A stream has no more than one request; that there are no others its connection says.
        guard case .channel = self.transport else { return }
        guard self.exchange.isBetweenRequests, self.inbound.readableBytes == 0 else { return }
        guard grace > .zero || self.hasUnread else { return self.closeAfterWriting() }
        self.limitDeadline(to: grace)
    }

    func deadlineReached() {
        if case .streaming = self.exchange { return self.streamIsDue() }
        // However late the loop is to read it, a request that has arrived is answered.
        guard !self.isSilent || !self.hasUnread else { return }
        guard !self.backendTakesOn else {
            return self.renewDeadline(for: .response)
        }
        let action = self.exchange.timedOut(
            hasPartialHead: self.inbound.readableBytes > 0,
            upstreamStalls: self.upstream.map { !$0.isWritable } ?? false,
            isRepeatable: self.request.forwarded?.isRepeatable == true,
            limits: self.loop.settings.discardLimits
        )
        switch action {
        case .requestTimeout: self.fail(.requestTimeout)
        case .gatewayTimeout:
            self.upstream?.member?.answerFailed(isSilent: true)
            self.fail(.gatewayTimeout)
        case .askAnother: self.askAnother()
        case .answerAndLinger:
            self.answerAtLast(keepsClient: false)
            self.settle()
        case .close: self.abort()
        }
    }

    /// Whether the connection waits for a request, of which the loop has read nothing.
    ///
    /// Bytes that nothing is made of, such as those of a handshake, lengthen a wait for the first
    /// request only while the gate stops, which has an end of its own.
    private var isSilent: Bool {
        guard self.inbound.readableBytes == 0 else { return false }
        return switch self.exchange {
        case .head: self.loop.isDraining
        case .idle: self.loop.isDraining || self.mayRead
        case .forwarding, .awaitingBody, .streaming, .lingering, .tunnel, .closed: false
        }
    }

    /// Whether the client's socket holds bytes that the loop has not read.
    var hasUnread: Bool {
        guard case .channel(let output) = self.transport else { return false }
        let pipeline = output.context.pipeline.syncOperations
        let peek = try? pipeline.withUnsafeTransportIfAvailable(of: CInt.self) { SocketPeek($0) }
        return peek == .bytes
    }

    /// Lets go of the backend's connection, which cannot serve anybody else any more.
    func dropUpstream() {
        let upstream = self.upstream
        self.upstream = nil
        // Nobody sends any more what waits for one.
        _ = self.exchange.endConnecting()
        self.endPending()
        if let trial = self.request.trial.take() { self.clients.pool.ended(trial) }
        upstream?.close()
    }
}
