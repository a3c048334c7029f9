import NIOCore

/// Whether an event loop is so late that it should rather refuse work than take more on.
///
/// Late once may be a machine that was paused, after which everything is as before; late twice in a
/// row is a loop that cannot keep up.
struct LoopLagMonitor {
    /// How late a tick may be.
    static let limit = TimeAmount.seconds(1)

    private var wasLate = false
    private(set) var isLasting = false

    /// A tick has come, so long after it was due.
    mutating func tick(late lag: TimeAmount) {
        let isLate = lag > Self.limit
        self.isLasting = isLate && self.wasLate
        self.wasLate = isLate
    }
}
