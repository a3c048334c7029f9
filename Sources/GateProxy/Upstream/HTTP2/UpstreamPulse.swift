import NIOCore

/// Tells when a backend that keeps silent is asked whether it is still there (PING, RFC 9113 6.7),
/// and when it is taken for dead.
///
/// A machine that is gone without a word would otherwise be noticed only by the time of each
/// request, which for calls of gRPC is long.
struct UpstreamPulse: Equatable {
    enum Action: Equatable {
        case doNothing
        case ask
        case giveUp
    }

    /// Silence before it is asked.
    private let silence: TimeAmount
    /// Since when there has been somebody whom silence concerns; `nil`: there is nobody.
    private var watched: NIODeadline?
    private var asked: NIODeadline?

    /// For an answer, if less than that has not been silence before.
    private static let longestWait = TimeAmount.seconds(20)

    init(silence: TimeAmount) {
        self.silence = silence
    }

    /// The thing to do at a moment.
    ///
    /// `heard`: when anything came last; `isNeeded`: whether there are streams.
    mutating func check(at now: NIODeadline, heard: NIODeadline, isNeeded: Bool) -> Action {
        guard isNeeded else {
            self.watched = nil
            self.asked = nil
            return .doNothing
        }
        let watched = self.watched ?? now
        self.watched = watched
        if let asked = self.asked, heard < asked {
            let wait = Swift.min(self.silence, Self.longestWait)
            return now - asked >= wait ? .giveUp : .doNothing
        }
        self.asked = nil
        guard now - Swift.max(heard, watched) >= self.silence else { return .doNothing }
        self.asked = now
        return .ask
    }
}
