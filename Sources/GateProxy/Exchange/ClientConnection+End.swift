import NIOCore

/// How a connection ends, and when.
extension ClientConnection {
    /// Closes at once, whatever is under way.
    func abort() {
        self.exchange = .closed
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
        self.flush()
        // The answer may take as long as any other; only then does the goodbye begin.
        self.deadline = self.worker.now + self.worker.settings.timeouts.response
        self.transport.whenWritten {
            // NIO would give up what is not yet written if the client's side is closed already.
            guard !self.inputClosed else { return self.abort() }
            self.lingerEnd = self.worker.now + Self.longestLinger
            self.deadline = self.worker.now + self.worker.settings.timeouts.linger
            self.transport.closeOutput()
        }
    }

    /// Closes altogether once everything is written, to the client and to the backend.
    func closeAfterWriting() {
        self.exchange = .closed
        self.flush()
        self.deadline = self.worker.now + self.worker.settings.timeouts.response
        self.transport.whenWritten {
            guard let upstream = self.upstream else { return self.abort() }
            upstream.whenWritten { self.abort() }
        }
    }

    private static let longestLinger = TimeAmount.seconds(30)

    /// The gate is about to stop.
    ///
    /// `grace`: how long an idle connection may stay; a request that is on its way to it would be
    /// lost otherwise.
    func drain(grace: TimeAmount) {
        self.exchange.drain()
        if self.exchange == .streaming { self.endStream() }
        // A stream has no more than one request; that there are no others its connection says.
        guard case .channel = self.transport else { return }
        guard self.exchange == .head, self.inbound.readableBytes == 0 else { return }
        // Who was woken has sent something, which is about to be read.
        let isHeard = self.isResumed && self.parser.generation.fields == 0
        let grace = isHeard ? Swift.max(grace, .seconds(1)) : grace
        guard grace > .zero else { return self.closeAfterWriting() }
        let end = self.worker.now + grace
        self.deadline = self.deadline.map { Swift.min($0, end) } ?? end
    }

    func deadlineReached() {
        if self.exchange == .streaming { return self.streamIsDue() }
        let action = self.exchange.timedOut(
            hasPartialHead: self.inbound.readableBytes > 0,
            upstreamStalls: self.upstream.map { !$0.isWritable } ?? false
        )
        switch action {
        case .requestTimeout: self.fail(.requestTimeout)
        case .gatewayTimeout:
            self.upstream?.member?.answerFailed(isSilent: true)
            self.fail(.gatewayTimeout)
        case .close: self.abort()
        }
    }

    /// Lets go of the backend's connection, which cannot serve anybody else any more.
    func dropUpstream() {
        let upstream = self.upstream
        self.upstream = nil
        self.unsent = nil
        self.endPending()
        if let trial = self.request.trial.take() { self.worker.pool.ended(trial) }
        upstream?.close()
    }
}
