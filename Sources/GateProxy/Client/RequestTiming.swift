import NIOCore

/// The times of a request from which the latency histograms are filled.
///
/// The clock is read three times for a forwarded request and twice for a denied one.
struct RequestTiming {
    /// When the gate started to read the head.
    private(set) var headReadAt = NIODeadline.uptimeNanoseconds(0)
    private var forwardedAt = NIODeadline.uptimeNanoseconds(0)

    /// Starts the measurement: the head is read next.
    @inline(__always)
    mutating func begin(on loop: LoopContext) {
        guard loop.measuresLatency else { return }
        self.headReadAt = loop.readClock()
    }

    /// Adds a denial that was written.
    @inline(__always)
    func denied(on loop: LoopContext) {
        guard loop.measuresLatency else { return }
        loop.latency.denied.add(loop.readClock() - self.headReadAt)
    }

    /// Adds a request that was sent to the backend, or that waits for a connection to it.
    @inline(__always)
    mutating func forwarded(on loop: LoopContext) {
        guard loop.measuresLatency else { return }
        self.forwardedAt = loop.readClock()
        loop.latency.forwarded.add(self.forwardedAt - self.headReadAt)
    }

    /// Adds a response of the backend whose head has arrived.
    @inline(__always)
    func answered(on loop: LoopContext) {
        guard loop.measuresLatency else { return }
        loop.latency.answered.add(loop.readClock() - self.forwardedAt)
    }
}
