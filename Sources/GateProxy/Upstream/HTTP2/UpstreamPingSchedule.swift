import NIOCore

/// The schedule of PING frames to a backend that sends nothing (RFC 9113 section 6.7).
///
/// Without PING frames, a backend whose host has become unreachable would be detected only by request
/// timeouts, which are long for gRPC calls.
struct UpstreamPingSchedule: Equatable {
    enum Action: Equatable {
        case doNothing
        case ask
        case giveUp
    }

    /// How long nothing may be received before a PING is sent.
    private let silence: TimeAmount
    /// The time since which there have been open streams, or `nil` if there are none.
    private var watched: NIODeadline?
    private var asked: NIODeadline?

    /// The maximum time to wait for a response to a PING, unless `silence` is shorter.
    private static let longestWait = TimeAmount.seconds(20)

    init(silence: TimeAmount) {
        self.silence = silence
    }

    /// Returns the action that is due now.
    ///
    /// `heard` is the time at which data was last received. `isNeeded` indicates whether there are
    /// open streams.
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
