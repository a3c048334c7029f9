import GateWire
import NIOCore

/// The streams and their ends.
extension UpstreamHTTP2Connection {
    /// How long it may be of no use before it is closed.
    ///
    /// A backend that closes it first says so (GOAWAY), so that no request is lost.
    private static let idleTime = TimeAmount.seconds(30)
    /// A connection on which nothing was heard for so long while a request waited may be dead.
    private static let suspiciousSilence = TimeAmount.seconds(5)

    /// A stream for another exchange.
    func takeStream() -> UpstreamConnection {
        self.budget.reserve()
        self.deadline = nil
        let stream = self.spare.popLast() ?? UpstreamHTTP2Stream(connection: self)
        stream.prepare()
        stream.upstream.member = self.member
        return stream.upstream
    }

    /// Nothing more is sent or received on a stream.
    func isOver(_ stream: UpstreamHTTP2Stream) {
        if stream.id != 0 { self.streams[stream.id] = nil }
        self.budget.release()
        self.over.append(stream)
        self.flush()
    }

    func settle() {
        self.settleReceivers()
        guard !self.over.isEmpty else { return }
        while let stream = self.over.popLast() {
            if self.line.remove(stream), stream.isReusable, self.isOpen {
                self.spare.append(stream)
            } else {
                stream.upstream.transport = .none
            }
        }
        self.member?.roomWasMade()
        self.becomeIdleIfUnused()
    }

    private func becomeIdleIfUnused() {
        guard self.budget.isUnused, self.isOpen else { return }
        if self.budget.isRetired || self.member?.serves == false {
            self.shutDown()
        } else {
            self.deadline = .now() + Self.idleTime
        }
    }

    /// A request got no answer in time; on a connection that is dead, others would get none either.
    func suspect(since began: NIODeadline) {
        let silence = NIODeadline.now() - Swift.max(began, self.lastReceived)
        if silence >= Self.suspiciousSilence { self.budget.retire() }
    }

    /// Opens no more streams and closes when the last one is over.
    func retire() {
        self.budget.retire()
        self.becomeIdleIfUnused()
    }

    /// Gives up streams whose last frame does not come, and the connection if nobody needs it or the
    /// backend is gone.
    func closeOverdue(at now: NIODeadline) {
        if let deadline = self.deadline, deadline <= now { return self.shutDown() }
        let isNeeded = !self.streams.isEmpty
        switch self.pulse.check(at: now, heard: self.lastReceived, isNeeded: isNeeded) {
        case .doNothing: break
        case .ask:
            self.outbox.writePing()
            self.flush()
        case .giveUp: return self.giveUp()
        }
        guard self.lingeringCount > 0 else { return }
        for stream in self.streams.all {
            if let end = stream.lingerEnd, end <= now { stream.cancel() }
        }
    }

    /// Gives a stream up that cannot be served; not while its exchange is still at work.
    func failSoon(_ stream: UpstreamHTTP2Stream) {
        self.eventLoop.assumeIsolated().execute { stream.abandon() }
    }

    func writeReset(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        self.outbox.frames.writeResetStream(stream, code)
        self.flush()
    }
}
