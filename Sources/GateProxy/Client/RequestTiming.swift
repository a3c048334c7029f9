import NIOCore

/// The timestamps of one request, for the latency histograms.
///
/// The clock is read three times for a forwarded request and twice for a denied one.
struct RequestTiming {
    /// The time at which the gate started to read the head.
    private(set) var headReadAt = NIODeadline.uptimeNanoseconds(0)
    private var forwardedAt = NIODeadline.uptimeNanoseconds(0)

    /// Starts the measurement before the head is read.
    @inline(__always)
    mutating func begin(on loop: LoopContext) {
        guard loop.measuresLatency else { return }
        self.headReadAt = loop.readClock()
    }

    /// Records that the denial has been written.
    @inline(__always)
    func denied(on loop: LoopContext) {
        guard loop.measuresLatency else { return }
        loop.latency.denied.add(loop.readClock() - self.headReadAt)
    }

    /// Records that the request has been sent to the backend, or has started to wait for a backend connection.
    @inline(__always)
    mutating func forwarded(on loop: LoopContext) {
        guard loop.measuresLatency else { return }
        self.forwardedAt = loop.readClock()
        loop.latency.forwarded.add(self.forwardedAt - self.headReadAt)
    }

    /// Records that the head of the backend's response has arrived.
    @inline(__always)
    func answered(on loop: LoopContext) {
        guard loop.measuresLatency else { return }
        loop.latency.answered.add(loop.readClock() - self.forwardedAt)
    }
}
