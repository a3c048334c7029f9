import NIOCore

/// Which of several addresses takes the next connection: each in turn, without those that fail.
///
/// An address that fails is left out, longer each time. When its time is over one request tries it
/// (half-open, as circuit breakers call it): it serves again once it has answered, and not because it
/// takes connections. Where every address is left out, they are tried all the same. It holds no
/// address and no socket, only places in a list that its owner keeps.
struct UpstreamBalancer: Equatable {
    private enum Phase: Equatable {
        case serving
        case out(until: NIODeadline)
        /// The request that finds out is under way; `until`: when it has told nothing for so long that
        /// another one may.
        case tried(Trial, until: NIODeadline)
    }

    /// Which request tries an address; each has a number of its own.
    struct Trial: Equatable {
        fileprivate let number: UInt64
    }

    /// The address to take.
    struct Choice: Equatable {
        let index: Int
        /// The request finds out whether the address is back; `nil`: that is no question.
        var trial: Trial?
    }

    private struct Member: Equatable {
        var phase = Phase.serving
        /// Exchanges that failed since the last that did not.
        var faults = 0
        /// How often it was left out since it last answered while it served.
        var ejections = 0
    }

    /// Failed exchanges, one after the other, that tell of more than bad luck.
    static let faultLimit = 5
    static let shortestEjection = TimeAmount.seconds(1)
    static let longestEjection = TimeAmount.seconds(30)
    /// How often the shortest one is doubled for an address that keeps silent: whoever tries it may
    /// wait for nothing, where a connection that breaks says so at once.
    private static let doublingsOfSilence = 2
    /// How long others leave a trial alone that tells nothing: a call may be silent for an hour.
    static let longestTrial = TimeAmount.seconds(30)

    private var members: [Member]
    private var turn: Int
    private var trialCount: UInt64 = 0

    /// `turn`: where to begin; another one on each loop spreads them from the first request on.
    init(count: Int, turn: Int = 0) {
        self.members = Array(repeating: Member(), count: count)
        self.turn = turn
    }

    var count: Int { self.members.count }

    /// The address to take, never one of those tried; `nil` if there is none.
    ///
    /// A request that has failed to reach one goes to an address that serves, if there is one: it has
    /// found out enough. `insisting`: take one that is left out rather than none.
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

    /// Whether anything is held against an address, so that its answers are worth telling.
    func isSuspect(_ index: Int) -> Bool {
        self.members[index] != Member()
    }

    /// Whether an address is left out, or on trial after it was.
    func isLeftOut(_ index: Int) -> Bool {
        self.members[index].phase != .serving
    }

    enum SuccessAction: Equatable {
        /// It serves again after it was left out.
        case welcomeBack
        case doNothing
    }

    /// A response began.
    mutating func answered(_ index: Int) -> SuccessAction {
        self.members[index].faults = 0
        guard self.members[index].phase != .serving else {
            self.members[index].ejections = 0
            return .doNothing
        }
        self.members[index].phase = .serving
        return .welcomeBack
    }

    /// A request that tried an address has ended without telling anything of it: the next one may.
    mutating func trialEnded(_ trial: Trial, of index: Int, at now: NIODeadline) {
        guard case .tried(trial, _) = self.members[index].phase else { return }
        self.members[index].phase = .out(until: now)
    }

    enum FailureAction: Equatable {
        /// It is left out from now on.
        case eject(for: TimeAmount)
        /// It stays out for so much longer.
        case keepOut(for: TimeAmount)
        case doNothing
    }

    /// No connection could be opened.
    mutating func connectFailed(_ index: Int, at now: NIODeadline) -> FailureAction {
        // The only one there is has nobody to stand in for it.
        guard self.members.count > 1 else { return .doNothing }
        switch self.members[index].phase {
        case .serving:
            return .eject(for: self.leaveOut(index, at: now))
        case .tried:
            return .keepOut(for: self.leaveOut(index, at: now))
        case .out:
            // Tried while all were out, or begun before it was.
            return .doNothing
        }
    }

    /// A connection was opened, and no acceptable response came.
    ///
    /// `isSilent`: nothing came at all for as long as was waited.
    mutating func answerFailed(
        _ index: Int,
        isSilent: Bool = false,
        at now: NIODeadline
    ) -> FailureAction {
        guard self.members.count > 1 else { return .doNothing }
        switch self.members[index].phase {
        case .serving:
            self.members[index].faults += 1
            guard self.members[index].faults >= Self.faultLimit else { return .doNothing }
            return .eject(for: self.leaveOut(index, isSilent: isSilent, at: now))
        case .tried:
            return .keepOut(for: self.leaveOut(index, isSilent: isSilent, at: now))
        case .out:
            return .doNothing
        }
    }

    /// Many requests wait for an address, and none was answered for long.
    mutating func fellSilent(_ index: Int, at now: NIODeadline) -> FailureAction {
        guard self.members.count > 1, self.members[index].phase == .serving else {
            return .doNothing
        }
        return .eject(for: self.leaveOut(index, isSilent: true, at: now))
    }

    private mutating func leaveOut(
        _ index: Int,
        isSilent: Bool = false,
        at now: NIODeadline
    ) -> TimeAmount {
        if isSilent {
            let ejections = Swift.max(self.members[index].ejections, Self.doublingsOfSilence)
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
        return time
    }

    /// The list has changed.
    ///
    /// `origins`: for each place of the new list its place in the old one, or `nil` if it is new.
    mutating func replace(with origins: [Int?]) {
        self.members = origins.map { origin in origin.map { self.members[$0] } ?? Member() }
        // A member that was left out for the sake of others may be the only one now.
        if self.members.count == 1 { self.members[0] = Member() }
    }
}
