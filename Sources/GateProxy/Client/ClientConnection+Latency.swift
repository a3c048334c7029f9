import NIOCore

/// How long requests take, in three looks at the clock for one that passes and two for one that is denied.
extension ClientConnection {
    /// The head of a request is read from now on.
    @inline(__always)
    func beginMeasuring() {
        guard self.loop.measuresLatency else { return }
        self.headReadAt = self.loop.readClock()
    }

    @inline(__always)
    func denialWasWritten() {
        guard self.loop.measuresLatency else { return }
        self.loop.latency.denied.add(self.loop.readClock() - self.headReadAt)
    }

    /// The request is the backend's, or waits for a connection to it: what the gate itself has to do
    /// is done.
    @inline(__always)
    func requestWasForwarded() {
        guard self.loop.measuresLatency else { return }
        self.forwardedAt = self.loop.readClock()
        self.loop.latency.forwarded.add(self.forwardedAt - self.headReadAt)
    }

    /// The head of the backend's answer is there.
    @inline(__always)
    func answerHasBegun() {
        guard self.loop.measuresLatency else { return }
        self.loop.latency.answered.add(self.loop.readClock() - self.forwardedAt)
    }
}
