import Foundation

/// Decides when to reconnect a lost event stream.
///
/// The gate sends the delay in `retry:`. Each client adds random jitter, so that not all clients
/// reconnect at once. Each consecutive failure doubles the delay.
struct Reconnection {
    /// How a stream ended.
    enum Ending: Equatable {
        /// An established stream ended, for example because the gate restarted or the network
        /// changed.
        case ended
        /// No stream was established: the network is unavailable, or the response was not from a
        /// gate.
        case failed
        /// The gate or a proxy sent the time to wait, in seconds.
        case refused(retryAfter: TimeInterval)
    }

    /// The reaction to the end of a stream.
    struct Step: Equatable {
        /// The time to wait, in seconds.
        var delay: TimeInterval
        /// Whether the state of the build is no longer known.
        var isLost: Bool
    }

    /// The delay, in seconds, until the gate sends another delay.
    static let usualRetry: TimeInterval = 3
    /// The maximum delay, in seconds, before jitter is added.
    static let longestDelay: TimeInterval = 150
    /// The maximum accepted value of `Retry-After`, in seconds.
    static let longestRefusal: TimeInterval = 3600

    /// The delay sent by the gate, in seconds.
    private(set) var retry = Self.usualRetry
    /// The number of consecutive attempts without an event from a gate.
    private(set) var failures = 0

    /// Handles a delay sent by the gate.
    mutating func named(retryMilliseconds: Int) {
        self.retry = min(max(TimeInterval(retryMilliseconds) / 1000, 0.1), Self.longestDelay)
    }

    /// Handles an event or a heartbeat from a gate.
    mutating func succeeded() {
        self.failures = 0
    }

    /// Handles the end of a stream, or a failed attempt.
    ///
    /// - Parameters:
    ///   - ending: How the stream or attempt ended.
    ///   - share: A random number from 0 up to, but not including, 1.
    /// - Returns: The delay before the next attempt, and whether the state is lost.
    mutating func ended(_ ending: Ending, share: Double) -> Step {
        if case .ended = ending, self.failures == 0 {
            // If the next stream ends before its first event, it counts as a failure.
            self.failures = 1
            return Step(delay: self.retry * (1 + share), isLost: false)
        }
        let factor = pow(2, Double(min(self.failures, 16)))
        var base = min(self.retry * factor, Self.longestDelay)
        if case .refused(let seconds) = ending {
            base = max(base, min(seconds, Self.longestRefusal))
        }
        self.failures += 1
        return Step(delay: base * (1 + share), isLost: true)
    }
}
