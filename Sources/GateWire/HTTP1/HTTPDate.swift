package import GatePolicy
import Glibc

/// The date format of HTTP (IMF-fixdate, RFC 9110 5.6.7).
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns the current time of the wall clock, in whole seconds.
    package static func now() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(secondsSinceEpoch: Int64(time.tv_sec))
    }

    /// Returns a `Date` field line, including its CR LF.
    package static func line(_ time: Timestamp) -> [UInt8] {
        Array("Date: \(self.text(secondsSinceEpoch: Int(time.secondsSinceEpoch)))\r\n".utf8)
    }

    package static func text(secondsSinceEpoch seconds: Int) -> String {
        let dayCount = seconds / 86400
        let second = seconds % 86400
        let (year, month, day) = self.civil(daysSinceEpoch: dayCount)
        let time = [second / 3600, second / 60 % 60, second % 60].map(self.twoDigits)
        return "\(self.days[dayCount % 7]), \(self.twoDigits(day)) \(self.months[month - 1]) "
            + "\(year) \(time.joined(separator: ":")) GMT"
    }

    private static func twoDigits(_ value: Int) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }

    /// Returns the year, month and day of the Gregorian calendar.
    ///
    /// The algorithm counts eras of 400 years that begin in March, so that the leap day is the last
    /// day of a year.
    private static func civil(daysSinceEpoch days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
