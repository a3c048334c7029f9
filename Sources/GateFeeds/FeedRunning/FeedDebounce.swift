package import GateRules

/// How often what a feed says is taken, knowing nothing of how.
///
/// A value that comes after a rest is taken at once. While more keep coming, the last of them is taken
/// every so often: each one that is taken is merged, checked, tested, written down and handed to
/// every event loop, and those in between would hold for a moment only.
package struct FeedDebounce: Equatable {
    /// The next thing to do.
    package enum Step: Equatable {
        /// To take these, in this order, and to say so when it is done.
        case take([FeedAnswer])
        /// Nothing, for so many seconds.
        case wait(Double)
        /// Nothing, before something else happens.
        case nothing
    }

    /// The shortest time from the end of one taking to the next, in seconds.
    static let interval = 0.2

    /// A value at most, and then what was said of it or after it.
    private var held: [FeedAnswer] = []
    private var isTaking = false
    /// Before that, no other value is taken.
    private var opensAt = -Double.infinity

    package init() {}

    /// Remembers what has come, in place of what it makes pointless.
    package mutating func add(_ answer: FeedAnswer) {
        switch answer {
        case .value, .part: self.held = [answer]
        case .nonsense: self.held = self.held.filter(\.isValue) + [answer]
        // An answer that is held is newer than the one that would be confirmed.
        case .unchanged, .alive: if self.held.isEmpty { self.held = [answer] }
        }
    }

    /// The source says no more for now: nothing has to wait for more of it.
    package mutating func hurry() {
        self.opensAt = -Double.infinity
    }

    /// The step to take now; `uptime`: seconds on a clock that only goes forward.
    package mutating func next(at uptime: Double) -> Step {
        guard !self.held.isEmpty, !self.isTaking else { return .nothing }
        guard uptime >= self.opensAt || !self.held.contains(where: \.isValue) else {
            return .wait(self.opensAt - uptime)
        }
        defer { self.held = [] }
        self.isTaking = true
        return .take(self.held)
    }

    /// The answers that were to be taken have been taken, or refused.
    package mutating func finish(_ answers: [FeedAnswer], at uptime: Double) {
        self.isTaking = false
        if answers.contains(where: \.isValue) { self.opensAt = uptime + Self.interval }
    }
}

extension FeedAnswer {
    fileprivate var isValue: Bool {
        switch self {
        case .value, .part: true
        case .nonsense, .unchanged, .alive: false
        }
    }
}
