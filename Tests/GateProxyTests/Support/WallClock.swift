import GatePolicy

/// A wall clock that the test sets.
final class WallClock {
    var seconds: Int64

    init(seconds: Int64 = 1_000_000) {
        self.seconds = seconds
    }

    var now: Timestamp { self.later(0) }

    /// Returns the time this many seconds later.
    func later(_ seconds: Int64) -> Timestamp {
        Timestamp(secondsSinceEpoch: self.seconds + seconds)
    }
}
