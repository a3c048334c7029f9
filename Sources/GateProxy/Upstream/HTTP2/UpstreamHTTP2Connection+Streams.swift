import GateWire
import NIOCore

/// Opening and ending streams.
extension UpstreamHTTP2Connection {
    /// The time after which an unused connection is closed.
    ///
    /// A backend that closes the connection earlier sends GOAWAY, so no request is lost.
    private static let idleTime = TimeAmount.seconds(30)
    /// How long a connection with a waiting request may receive nothing before it is presumed dead.
    private static let suspiciousSilence = TimeAmount.seconds(5)

    /// Reserves a stream for another exchange, and returns the stream's connection object.
    func takeStream() -> UpstreamConnection {
        self.budget.reserve()
        self.deadline = nil
        let stream = self.spare.popLast() ?? UpstreamHTTP2Stream(connection: self)
        stream.prepare()
        stream.upstream.member = self.member
        return stream.upstream
    }

    /// Records that a stream has ended in both directions.
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
        self.member?.capacityFreed()
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

    /// Retires the connection unless it has received data recently.
    ///
    /// Called when a request was canceled before any part of its response arrived. On a dead
    /// connection, further requests would also time out.
    func suspect(since began: NIODeadline) {
        let silence = NIODeadline.now() - Swift.max(began, self.lastReceived)
        if silence >= Self.suspiciousSilence { self.budget.retire() }
    }

    /// Stops opening streams, and closes the connection when the last stream has ended.
    func retire() {
        self.budget.retire()
        self.becomeIdleIfUnused()
    }

    /// Resets streams whose last frame is overdue, and closes the connection if it is unused or the
    /// backend no longer responds.
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

    /// Resets a stream whose request cannot be sent, once the calling exchange has returned.
    func failSoon(_ stream: UpstreamHTTP2Stream) {
        self.eventLoop.assumeIsolated().execute { stream.abandon() }
    }

    func writeReset(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        self.outbox.frames.writeResetStream(stream, code)
        self.flush()
    }
}
