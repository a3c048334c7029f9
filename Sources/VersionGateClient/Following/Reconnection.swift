import Foundation

/// When a lost stream of events is asked for again.
///
/// The gate says by `retry:` how long to wait, and each client something else, so that not all come
/// back at once. Each failure in a row doubles it.
struct Reconnection {
    /// How a stream ended.
    enum Ending: Equatable {
        /// It was one, and is over: the gate restarts, or the network changed.
        case ended
        /// There was none: the network is away, or somebody else answered.
        case failed
        /// The gate, or what stands in front of it, said when to come back, in seconds.
        case refused(retryAfter: TimeInterval)
    }

    /// The reaction to the end of a stream.
    struct Step: Equatable {
        /// How long to wait, in seconds.
        var delay: TimeInterval
        /// Whether nobody can say any more where the build stands.
        var isLost: Bool
    }

    /// The wait where the gate named none, in seconds.
    static let usualRetry: TimeInterval = 3
    /// The longest wait before its random share, in seconds.
    static let longestDelay: TimeInterval = 150
    /// The longest wait that anybody can ask for, in seconds.
    static let longestRefusal: TimeInterval = 3600

    /// The wait that the gate named, in seconds.
    private(set) var retry = Self.usualRetry
    /// The attempts in a row that had no event of a gate.
    private(set) var failures = 0

    /// The gate has said how long to wait after a loss.
    mutating func named(retryMilliseconds: Int) {
        self.retry = min(max(TimeInterval(retryMilliseconds) / 1000, 0.1), Self.longestDelay)
    }

    /// The stream lives, and is a gate's.
    mutating func succeeded() {
        self.failures = 0
    }

    /// The stream has ended, or there was none.
    ///
    /// - Parameters:
    ///   - ending: How it ended.
    ///   - share: A random number from 0 to below 1.
    /// - Returns: When to ask again, and what is known until then.
    mutating func ended(_ ending: Ending, share: Double) -> Step {
        if case .ended = ending, self.failures == 0 {
            // One that ends again before it said anything counts as a failure.
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
