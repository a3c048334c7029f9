internal import FoundationEssentials
package import GatePolicy

/// The time of day of the machine.
package enum SystemClock {
    /// The second that it is now.
    package static func now() -> Timestamp {
        let seconds = Date().timeIntervalSince1970.rounded(.down)
        return Timestamp(secondsSinceEpoch: Int64(seconds))
    }
}
