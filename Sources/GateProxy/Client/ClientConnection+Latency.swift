import NIOCore

/// How long requests take, in three looks at the clock for one that passes and two for one that is denied.
extension ClientConnection {
    /// The head of a request is read from now on.
    @inline(__always)
    func beginMeasuring() {
        guard self.worker.measuresLatency else { return }
        self.headReadAt = self.worker.readClock()
    }

    @inline(__always)
    func denialWasWritten() {
        guard self.worker.measuresLatency else { return }
        self.worker.latency.denied.add(self.worker.readClock() - self.headReadAt)
    }

    /// The request is the backend's, or waits for a connection to it: what the gate itself has to do
    /// is done.
    @inline(__always)
    func requestWasForwarded() {
        guard self.worker.measuresLatency else { return }
        self.forwardedAt = self.worker.readClock()
        self.worker.latency.forwarded.add(self.forwardedAt - self.headReadAt)
    }

    /// The head of the backend's answer is there.
    @inline(__always)
    func answerHasBegun() {
        guard self.worker.measuresLatency else { return }
        self.worker.latency.answered.add(self.worker.readClock() - self.forwardedAt)
    }
}
