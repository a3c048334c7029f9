package import GateRules

/// A limit on how often the values of a feed are applied.
///
/// The first value after a quiet period is applied immediately. If more values follow, only the
/// last one of each interval is applied. Each applied value is merged, checked, tested, stored and
/// sent to every event loop, so skipping short-lived values saves work.
package struct FeedDebounce: Equatable {
    /// The action that the caller must perform next.
    package enum Step: Equatable {
        /// Apply these results in this order, and then call `finish(_:at:)`.
        case take([FeedResult])
        /// Wait for a number of seconds.
        case wait(Double)
        /// Wait for the next event.
        case nothing
    }

    /// The minimum time in seconds between applying a value and applying the next one.
    static let interval = 0.2

    /// The pending results: at most one value, followed by at most one result that was received
    /// later.
    private var held: [FeedResult] = []
    private var isTaking = false
    /// The earliest time at which another value may be applied.
    private var opensAt = -Double.infinity

    package init() {}

    /// Adds a result and drops the pending results that it supersedes.
    package mutating func add(_ answer: FeedResult) {
        switch answer {
        case .value, .part: self.held = [answer]
        case .nonsense: self.held = self.held.filter(\.isValue) + [answer]
        // A confirmation refers to a value that is older than the pending result.
        case .unchanged, .alive: if self.held.isEmpty { self.held = [answer] }
        }
    }

    /// Ends the interval early, because the source sends no more values for now.
    package mutating func hurry() {
        self.opensAt = -Double.infinity
    }

    /// Returns the next step.
    ///
    /// `uptime` is the time of a monotonic clock in seconds.
    package mutating func next(at uptime: Double) -> Step {
        guard !self.held.isEmpty, !self.isTaking else { return .nothing }
        guard uptime >= self.opensAt || !self.held.contains(where: \.isValue) else {
            return .wait(self.opensAt - uptime)
        }
        defer { self.held = [] }
        self.isTaking = true
        return .take(self.held)
    }

    /// Records that results were applied or rejected.
    package mutating func finish(_ answers: [FeedResult], at uptime: Double) {
        self.isTaking = false
        if answers.contains(where: \.isValue) { self.opensAt = uptime + Self.interval }
    }
}

extension FeedResult {
    fileprivate var isValue: Bool {
        switch self {
        case .value, .part: true
        case .nonsense, .unchanged, .alive: false
        }
    }
}
