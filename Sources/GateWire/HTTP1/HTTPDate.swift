package import GatePolicy
import Glibc

/// The wall clock, and the `Date` field (RFC 9110 section 6.6.1).
package enum HTTPDate {
    /// Returns the current wall-clock time in whole seconds.
    package static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(secondsSinceEpoch: Int64(time.tv_sec))
    }

    /// Returns a `Date` field line, including its CR LF.
    package static func line(_ time: Timestamp) -> [UInt8] {
        Array("Date: \(time.httpDate)\r\n".utf8)
    }
}
