import Glibc

/// A point in time by which something must have happened.
package struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    /// Returns the point in time that is this duration from now.
    package static func after(_ duration: Duration) -> Deadline {
        Deadline(instant: .now + duration)
    }

    /// The time limit for a single step over loopback: far longer than a step takes, even on a busy
    /// machine.
    package static var usual: Deadline { .after(.seconds(15) * GateExecutable.slowdown) }

    package var hasPassed: Bool { .now >= self.instant }

    /// The remaining time, never negative.
    package var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: self.instant)) }

    /// The remaining time in whole milliseconds, rounded up, for poll(2).
    package var milliseconds: Int32 {
        let (seconds, attoseconds) = self.remaining.components
        let fraction = attoseconds / 1_000_000_000_000_000
        return Int32(clamping: seconds * 1000 + fraction + 1)
    }

    /// Blocks until a check finds a value.
    ///
    /// Use this only for state without notifications, such as the kernel's figures about another process, or one of the
    /// gate's pages.
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

    /// The pause between two checks, in which the checked process can proceed, in microseconds.
    private static let pause: UInt32 = 5000
}
