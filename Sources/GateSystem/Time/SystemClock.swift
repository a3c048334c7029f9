private import CLinux
internal import FoundationEssentials
package import GatePolicy

/// The system's wall clock.
package enum SystemClock {
    /// Returns the current time, rounded down to the second.
    package static func now() -> Timestamp {
        let seconds = Date().timeIntervalSince1970.rounded(.down)
        return Timestamp(secondsSinceEpoch: Int64(seconds))
    }

    /// Whether the kernel reports that a time service synchronizes the clock.
    package static var isSynchronized: Bool {
        var state = timex()
        return unsafe ntp_adjtime(&state) != TIME_ERROR && state.status & STA_UNSYNC == 0
    }
}
