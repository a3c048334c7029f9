import NIOCore

/// The schedule of PING frames to an unresponsive backend (RFC 9113 section 6.7).
///
/// Without PING frames, only request timeouts would detect a machine that has disappeared, and the
/// timeouts of gRPC calls are long.
struct UpstreamPingSchedule: Equatable {
    enum Action: Equatable {
        case doNothing
        case ask
        case giveUp
    }

    /// The time without data before a PING.
    private let silence: TimeAmount
    /// The time since which there have been open streams; `nil` if there are none.
    private var watched: NIODeadline?
    private var asked: NIODeadline?

    /// The maximum time to wait for a response; if `silence` is shorter, it applies instead.
    private static let longestWait = TimeAmount.seconds(20)

    init(silence: TimeAmount) {
        self.silence = silence
    }

    /// Returns the action to take now.
    ///
    /// `heard` is the time of the last received data, and `isNeeded` tells whether there are
    /// streams.
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
