internal import GatePolicy
package import GateRules

/// When a feed is asked, and when what it said last is too old; knows nothing of how.
package struct FeedMachine: Equatable {
    /// A point in time, for what must not jump and for what must outlive the process.
    package struct Moment: Equatable {
        /// Seconds on a clock that only goes forward.
        package var uptime: Double
        /// Seconds since 1970.
        package var time: Int64

        package init(uptime: Double, time: Int64) {
            self.uptime = uptime
            self.time = time
        }
    }

    /// The next thing to do.
    package enum Step: Equatable {
        case ask
        /// Its last value counts as stale from now on.
        case turnStale
        /// Nothing, for so many seconds.
        case rest(Double)
    }

    /// The first wait after a failure is at most so long, in seconds; each further one twice as long.
    static let firstDelay = 1.0
    /// The longest wait after failures, in seconds, if the source is asked more often than that.
    static let longestDelay = 60.0
    /// The shortest wait of all, in seconds.
    static let shortestDelay = 0.2
    /// The shortest time from the end of a question to one that a hint asks for, in seconds.
    static let hintDelay = 1.0
    /// A stream that has lasted so long, in seconds, makes up for the failures before it.
    static let lastingAfter = 10.0
    /// Which share of the interval is added at most, so that a fleet does not ask in step.
    static let spread = 0.1

    private let timing: FeedTiming
    /// When the source last gave a good answer, seconds since 1970.
    private(set) var confirmedAt: Int64?
    /// The same on the clock that only goes forward: what is fresh does not turn stale, nor what is
    /// stale fresh, because somebody sets the other one.
    private var confirmedUptime: Double
    package private(set) var failures = 0
    private(set) var isStale = false
    private var askAt: Double
    /// Before that, no hint makes the source be asked.
    private var earliest: Double

    /// Begins; the first question comes at once.
    ///
    /// - Parameters:
    ///   - timing: What the rules file says.
    ///   - confirmedAt: When what is remembered was known to be good.
    ///   - now: Now.
    package init(_ timing: FeedTiming, confirmedAt: Int64?, now: Moment) {
        self.timing = timing
        self.confirmedAt = confirmedAt
        self.confirmedUptime = now.uptime - Double(max(0, now.time - (confirmedAt ?? now.time)))
        self.askAt = now.uptime
        self.earliest = now.uptime
    }

    /// The step to take now; to be asked again after it is done.
    package mutating func next(at now: Moment) -> Step {
        if self.turnsStale(at: now) { return .turnStale }
        guard self.askAt > now.uptime else { return .ask }
        let untilStale = self.secondsUntilStale(at: now) ?? .infinity
        return .rest(min(self.askAt - now.uptime, untilStale))
    }

    /// Whether what it said last counts as stale from now on, and did not before.
    package mutating func turnsStale(at now: Moment) -> Bool {
        guard let wait = self.secondsUntilStale(at: now), wait <= 0 else { return false }
        self.isStale = true
        return true
    }

    /// Somebody says that the source has something new: it is asked as soon as it may be.
    package mutating func hint(at now: Moment) {
        self.askAt = min(self.askAt, max(now.uptime, self.earliest))
    }

    /// When the next question is due, seconds since 1970.
    package func nextQuestion(at now: Moment) -> Int64 {
        now.time + Int64(max(0, self.askAt - now.uptime).rounded(.up))
    }

    /// The source gave a good answer; true if it was stale before.
    package mutating func confirm(at now: Moment) -> Bool {
        let wasStale = self.isStale
        self.confirmedAt = now.time
        self.confirmedUptime = now.uptime
        self.isStale = false
        // A stream that breaks again and again right after its beginning is no good one.
        if now.uptime - self.askAt >= Self.lastingAfter { self.failures = 0 }
        return wasStale
    }

    /// A question has come to its end in order.
    ///
    /// `random`: from 0 up to 1.
    package mutating func finish(at now: Moment, random: Double) {
        self.failures = 0
        self.askAt = now.uptime + Double(self.timing.every) * (1 + Self.spread * random)
        self.earliest = now.uptime + Self.hintDelay
    }

    /// A stream has ended in order: it is taken up again soon, and later each time if it never lasts.
    package mutating func interrupt(at now: Moment, random: Double) {
        self.fail(retryAfter: nil, at: now, random: random)
    }

    /// A question has failed, or its answer was refused.
    package mutating func fail(retryAfter: Int64?, at now: Moment, random: Double) {
        let interval = Double(self.timing.every)
        let limit = max(interval, Self.longestDelay)
        // Beyond that many doublings every limit is reached.
        let bound = min(limit, Self.firstDelay * Double(1 << min(self.failures, 24)))
        self.failures += 1
        // Full jitter: anything up to the bound, so that those who failed together part.
        let delay = max(Self.shortestDelay, bound * random)
        let asked = Double(retryAfter ?? 0) * (1 + Self.spread * random)
        self.askAt = now.uptime + max(delay, asked)
        self.earliest = now.uptime + max(Self.hintDelay, asked)
    }

    /// How long what it said last holds without another good answer; `nil`: it is stale already, or
    /// never turns so.
    package func secondsUntilStale(at now: Moment) -> Double? {
        guard !self.isStale, let staleAfter = self.timing.staleAfter, self.confirmedAt != nil else {
            return nil
        }
        return self.confirmedUptime + Double(staleAfter) - now.uptime
    }

    /// When what it said last turns stale by the clock that it was confirmed by, seconds since 1970;
    /// `nil`: never.
    package var staleAt: Int64? {
        guard let staleAfter = self.timing.staleAfter else { return nil }
        return self.confirmedAt.map { $0 + staleAfter }
    }
}
