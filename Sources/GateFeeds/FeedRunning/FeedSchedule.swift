package import GateRules

/// The schedule of a feed: when to fetch it, and when its value becomes stale.
///
/// The schedule performs no I/O.
package struct FeedSchedule: Equatable {
    /// A point in time on two clocks: a monotonic clock, and the wall clock, whose times remain
    /// valid across restarts.
    package struct Moment: Equatable {
        /// The time of the monotonic clock, in seconds.
        package var uptime: Double
        /// The time of the wall clock, in seconds since 1970.
        package var time: Int64

        package init(uptime: Double, time: Int64) {
            self.uptime = uptime
            self.time = time
        }
    }

    /// The action that the caller must perform next.
    package enum Step: Equatable {
        case ask
        /// The last value has become stale.
        case turnStale
        /// Wait for a number of seconds.
        case rest(Double)
    }

    /// The maximum delay in seconds after the first failure; it doubles with each additional
    /// failure.
    static let firstDelay = 1.0
    /// The maximum delay in seconds after any number of failures, unless the polling interval is
    /// longer.
    static let longestDelay = 60.0
    /// The minimum delay in seconds.
    static let shortestDelay = 0.2
    /// The minimum time in seconds between the end of a fetch and the next fetch after `hint(at:)`.
    static let hintDelay = 1.0
    /// The duration in seconds after which a stream counts as stable, and `failures` is reset.
    static let lastingAfter = 10.0
    /// The maximum jitter as a share of the interval; it keeps the gates of a fleet from polling in
    /// lockstep.
    static let spread = 0.1

    private let timing: FeedTiming
    /// The time at which the value was last confirmed, in seconds since 1970; `nil` if it never
    /// was.
    private(set) var confirmedAt: Int64?
    /// The time of the last confirmation on the monotonic clock, so that changes to the wall clock
    /// do not affect staleness.
    private var confirmedUptime: Double
    package private(set) var failures = 0
    private(set) var isStale = false
    private var askAt: Double
    /// The earliest time at which `hint(at:)` may trigger a fetch.
    private var earliest: Double

    /// Creates a schedule whose first fetch is due immediately.
    ///
    /// `confirmedAt` is the time at which the stored value was last confirmed; `nil` if there is none.
    package init(_ timing: FeedTiming, confirmedAt: Int64?, now: Moment) {
        self.timing = timing
        self.confirmedAt = confirmedAt
        self.confirmedUptime = now.uptime - Double(max(0, now.time - (confirmedAt ?? now.time)))
        self.askAt = now.uptime
        self.earliest = now.uptime
    }

    /// Returns the next step; the caller performs the step before the next call.
    package mutating func next(at now: Moment) -> Step {
        if self.turnsStale(at: now) { return .turnStale }
        guard self.askAt > now.uptime else { return .ask }
        let untilStale = self.secondsUntilStale(at: now) ?? .infinity
        return .rest(min(self.askAt - now.uptime, untilStale))
    }

    /// Marks the value as stale if `staleAfter` has passed, and returns whether the value has just
    /// become stale.
    package mutating func turnsStale(at now: Moment) -> Bool {
        guard let wait = self.secondsUntilStale(at: now), wait <= 0 else { return false }
        self.isStale = true
        return true
    }

    /// Schedules a fetch as early as possible, because the source may have changed.
    package mutating func hint(at now: Moment) {
        self.askAt = min(self.askAt, max(now.uptime, self.earliest))
    }

    /// Returns the time of the next fetch, in seconds since 1970.
    package func nextFetch(at now: Moment) -> Int64 {
        now.time + Int64(max(0, self.askAt - now.uptime).rounded(.up))
    }

    /// Records a confirmation of the value; returns whether it was stale before.
    package mutating func confirm(at now: Moment) -> Bool {
        let wasStale = self.isStale
        self.confirmedAt = now.time
        self.confirmedUptime = now.uptime
        self.isStale = false
        // A stream that repeatedly breaks right after it starts is not stable.
        if now.uptime - self.askAt >= Self.lastingAfter { self.failures = 0 }
        return wasStale
    }

    /// Records that a fetch ended normally.
    ///
    /// `random` is a random number from 0 up to, but not including, 1.
    package mutating func finish(at now: Moment, random: Double) {
        self.failures = 0
        self.askAt = now.uptime + Double(self.timing.every) * (1 + Self.spread * random)
        self.earliest = now.uptime + Self.hintDelay
    }

    /// Records that a stream ended normally; the feed opens a new stream soon, or after increasing
    /// delays if streams keep ending early.
    package mutating func interrupt(at now: Moment, random: Double) {
        self.fail(retryAfter: nil, at: now, random: random)
    }

    /// Records a failed fetch or a rejected value, and schedules the next attempt.
    package mutating func fail(retryAfter: Int64?, at now: Moment, random: Double) {
        let interval = Double(self.timing.every)
        let limit = max(interval, Self.longestDelay)
        // The limit on the exponent prevents an overflow.
        let bound = min(limit, Self.firstDelay * Double(1 << min(self.failures, 24)))
        self.failures += 1
        // Full jitter spreads the retries of gates whose fetches failed at the same time.
        let delay = max(Self.shortestDelay, bound * random)
        let asked = Double(retryAfter ?? 0) * (1 + Self.spread * random)
        self.askAt = now.uptime + max(delay, asked)
        self.earliest = now.uptime + max(Self.hintDelay, asked)
    }

    /// Returns the number of seconds until the value becomes stale if it is not confirmed again; `nil`
    /// if it is already stale or never expires.
    package func secondsUntilStale(at now: Moment) -> Double? {
        guard !self.isStale, let staleAfter = self.timing.staleAfter, self.confirmedAt != nil else {
            return nil
        }
        return self.confirmedUptime + Double(staleAfter) - now.uptime
    }

    /// The time at which the value becomes stale, in seconds since 1970; `nil` if it never does.
    package var staleAt: Int64? {
        guard let staleAfter = self.timing.staleAfter else { return nil }
        return self.confirmedAt.map { $0 + staleAfter }
    }
}
