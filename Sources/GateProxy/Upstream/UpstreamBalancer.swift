import NIOCore

/// A round-robin balancer that excludes failing addresses.
///
/// Repeated exclusions of an address become longer. After an exclusion, a single trial request is
/// sent to the address, as in the half-open state of a circuit breaker. The address is used again
/// once it has sent a response; accepting a connection is not sufficient. If all addresses are
/// excluded, they are used anyway. The balancer stores no addresses or sockets, only indices into
/// its owner's list.
struct UpstreamBalancer: Equatable {
    private enum Phase: Equatable {
        case serving
        case out(until: NIODeadline)
        /// A trial request is in progress. If there is no result by `until`, another request can be
        /// the trial.
        case tried(Trial, until: NIODeadline)
    }

    /// A trial request, identified by a number.
    struct Trial: Equatable {
        fileprivate let number: UInt64
    }

    /// A selected address.
    struct Choice: Equatable {
        let index: Int
        /// The trial that determines whether the address is used again, or `nil` for an ordinary request.
        var trial: Trial?
    }

    private struct Member: Equatable {
        var phase = Phase.serving
        /// The number of failed exchanges since the last success.
        var faults = 0
        /// The number of exclusions since the address last responded while neither excluded nor on trial.
        var ejections = 0
    }

    /// The number of consecutive failed exchanges after which an address is excluded.
    static let faultLimit = 5
    static let shortestEjection = TimeAmount.seconds(1)
    static let longestEjection = TimeAmount.seconds(30)
    /// The minimum number of doublings of the exclusion time for an unresponsive address.
    ///
    /// A trial at such an address can take until its timeout, whereas a refused connection fails at once.
    private static let unresponsiveDoublings = 2
    /// The time after which another trial may start, even if the current trial has no result.
    ///
    /// A gRPC call might carry no data for an hour.
    static let longestTrial = TimeAmount.seconds(30)

    private var members: [Member]
    private var turn: Int
    private var trialCount: UInt64 = 0
    /// Whether an address can be excluded even if it is the only one.
    private let excludesLast: Bool

    /// Creates a balancer.
    ///
    /// `turn` is the index to start at, which should differ between event loops so that requests
    /// are distributed from the start. `excludesLast` indicates whether even the only address can
    /// be excluded, which requires that requests have an alternative outside the balancer.
    init(count: Int, turn: Int = 0, excludesLast: Bool = false) {
        self.excludesLast = excludesLast
        self.members = Array(repeating: Member(), count: count)
        self.turn = turn
    }

    var count: Int { self.members.count }

    /// Whether an address can be excluded; a single address usually has no alternative.
    private var excludes: Bool { self.members.count > 1 || self.excludesLast }

    /// Returns an address that is not in `tried`, or `nil` if there is none.
    ///
    /// A request that has failed to reach an address gets an address that is not excluded, if
    /// possible, so that it is not used as a trial again. `insisting` indicates whether to select
    /// an excluded address if there is no other.
    mutating func choose(
        at now: NIODeadline,
        besides tried: [Int] = [],
        insisting: Bool = true
    ) -> Choice? {
        var due: Int?
        var lastResort: Int?
        for step in 0..<self.members.count {
            let index = (self.turn &+ step) % self.members.count
            guard !tried.contains(index) else { continue }
            switch self.members[index].phase {
            case .serving:
                return self.take(index)
            case .out(let end) where end <= now, .tried(_, let end) where end <= now:
                guard !tried.isEmpty else { return self.take(index, tryingItAt: now) }
                due = due ?? index
            case .out, .tried:
                lastResort = lastResort ?? index
            }
        }
        if let due { return self.take(due, tryingItAt: now) }
        return insisting ? lastResort.map { self.take($0) } : nil
    }

    private mutating func take(_ index: Int) -> Choice {
        self.turn = (index + 1) % self.members.count
        return Choice(index: index)
    }

    private mutating func take(_ index: Int, tryingItAt now: NIODeadline) -> Choice {
        self.trialCount += 1
        let trial = Trial(number: self.trialCount)
        self.members[index].phase = .tried(trial, until: now + Self.longestTrial)
        var choice = self.take(index)
        choice.trial = trial
        return choice
    }

    /// Returns whether an address has failed recently, so that its responses must be reported.
    func isSuspect(_ index: Int) -> Bool {
        self.members[index] != Member()
    }

    /// Returns whether an address is excluded, or on trial after an exclusion.
    func isLeftOut(_ index: Int) -> Bool {
        self.members[index].phase != .serving
    }

    enum SuccessAction: Equatable {
        /// The address was excluded, and is used again.
        case hasRecovered
        case doNothing
    }

    /// Records that a response has started.
    mutating func answered(_ index: Int) -> SuccessAction {
        self.members[index].faults = 0
        guard self.members[index].phase != .serving else {
            self.members[index].ejections = 0
            return .doNothing
        }
        self.members[index].phase = .serving
        return .hasRecovered
    }

    /// Records that a trial request has ended without a result, so that the next request can be the trial.
    mutating func trialEnded(_ trial: Trial, of index: Int, at now: NIODeadline) {
        guard case .tried(trial, _) = self.members[index].phase else { return }
        self.members[index].phase = .out(until: now)
    }

    enum FailureAction: Equatable {
        /// The address is excluded from now on.
        case eject(for: TimeAmount)
        /// The exclusion of the address is extended.
        case extendEjection(for: TimeAmount)
        case doNothing
    }

    /// Records that no connection to an address could be opened.
    mutating func connectFailed(_ index: Int, at now: NIODeadline) -> FailureAction {
        self.excludes ? self.exclude(index, at: now) : .doNothing
    }

    /// Records that a connection was opened, but no valid response was received.
    ///
    /// `isSilent` indicates whether nothing was received before the timeout.
    mutating func answerFailed(
        _ index: Int,
        isSilent: Bool = false,
        at now: NIODeadline
    ) -> FailureAction {
        guard self.excludes else { return .doNothing }
        if self.members[index].phase == .serving {
            self.members[index].faults += 1
            guard self.members[index].faults >= Self.faultLimit else { return .doNothing }
        }
        return self.exclude(index, isSilent: isSilent, at: now)
    }

    /// Records that many requests to an address have been waiting for a long time without a response.
    mutating func fellSilent(_ index: Int, at now: NIODeadline) -> FailureAction {
        guard self.excludes, self.members[index].phase == .serving else {
            return .doNothing
        }
        return self.exclude(index, isSilent: true, at: now)
    }

    /// Excludes an address, or extends its exclusion after a trial.
    private mutating func exclude(
        _ index: Int,
        isSilent: Bool = false,
        at now: NIODeadline
    ) -> FailureAction {
        // The attempt started while all addresses were excluded, or before this address was excluded.
        if case .out = self.members[index].phase { return .doNothing }
        let wasServing = self.members[index].phase == .serving
        if isSilent {
            let ejections = Swift.max(self.members[index].ejections, Self.unresponsiveDoublings)
            self.members[index].ejections = ejections
        }
        let doublings = Swift.min(self.members[index].ejections, 8)
        let time = Swift.min(
            Self.longestEjection,
            .nanoseconds(Self.shortestEjection.nanoseconds << Int64(doublings))
        )
        self.members[index].phase = .out(until: now + time)
        self.members[index].faults = 0
        self.members[index].ejections += 1
        return wasServing ? .eject(for: time) : .extendEjection(for: time)
    }

    /// Replaces the list of addresses.
    ///
    /// `origins` contains the old index of each new address, or `nil` for an address that is new.
    mutating func replace(with origins: [Int?]) {
        self.members = origins.map { origin in origin.map { self.members[$0] } ?? Member() }
        // An address that was excluded in favor of others may now be the only one.
        if self.members.count == 1, !self.excludesLast { self.members[0] = Member() }
    }
}
