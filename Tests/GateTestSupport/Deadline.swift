import Glibc

/// A point in time by which something must have happened.
package struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    /// The point that lies a duration ahead of now.
    package static func after(_ duration: Duration) -> Deadline {
        Deadline(instant: .now + duration)
    }

    /// The time for a single step over loopback, far beyond what it needs, even on a busy machine.
    package static var usual: Deadline { .after(.seconds(15) * GateExecutable.slowdown) }

    package var hasPassed: Bool { .now >= self.instant }

    /// The time that is left, never negative.
    package var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: self.instant)) }

    /// The time that is left in whole milliseconds, rounded up, as poll(2) takes it.
    package var milliseconds: Int32 {
        let (seconds, attoseconds) = self.remaining.components
        let fraction = attoseconds / 1_000_000_000_000_000
        return Int32(clamping: seconds * 1000 + fraction + 1)
    }

    /// Blocks until a look finds something: only for what tells nobody that it has changed, such as
    /// the kernel's figures of another process, or a page of its own that the gate shows to whoever
    /// asks.
    @discardableResult
    package func poll<Result>(
        _ awaited: @autoclosure () throws -> String,
        _ look: () throws -> Result?
    ) throws -> Result {
        while true {
            if let found = try look() { return found }
            guard !self.hasPassed else { throw HarnessError.timedOut(try awaited()) }
            usleep(Self.pause)
        }
    }

    /// Between two looks, in microseconds: those who are looked at get on in it.
    private static let pause: UInt32 = 5000
}
