import NIOCore

/// A monitor that detects an overloaded event loop, which should reject work.
///
/// A single late tick may be caused by a paused machine. Two late ticks in a row mean that the
/// event loop cannot keep up.
struct LoopLagMonitor {
    /// The maximum lag of a tick.
    static let limit = TimeAmount.seconds(1)

    private var wasLate = false
    private(set) var isLasting = false

    /// Records a tick, with its lag.
    mutating func tick(late lag: TimeAmount) {
        let isLate = lag > Self.limit
        self.isLasting = isLate && self.wasLate
        self.wasLate = isLate
    }
}
