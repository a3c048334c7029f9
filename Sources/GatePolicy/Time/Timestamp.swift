/// A time in the years 1970 to 9999 in UTC, as Unix time with one-second resolution.
package struct Timestamp: Sendable, Hashable {
    /// The time 9999-12-31T23:59:59Z.
    private static let last: Int64 = 253_402_300_799
    private static let secondsPerDay: Int64 = 86_400
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    package let secondsSinceEpoch: Int64

    /// Creates a time, with `secondsSinceEpoch` clamped to the years 1970 to 9999.
    package init(secondsSinceEpoch: Int64) {
        self.secondsSinceEpoch = min(max(secondsSinceEpoch, 0), Self.last)
    }

    /// Parses an RFC 3339 `date-time` (section 5.6).
    ///
    /// The offset is required, because otherwise a rule would start at a different time on each
    /// machine. Fractions of a second are truncated.
    package init(parsing text: String) throws(TimestampError) {
        var parser = TimestampParser(text)
        let seconds = try parser.parse()
        guard (0...Self.last).contains(seconds) else { throw .outOfRange }
        self.init(secondsSinceEpoch: seconds)
    }

    /// Returns the number of seconds until another time, which is negative for an earlier time.
    package func seconds(until other: Timestamp) -> Int64 {
        other.secondsSinceEpoch - self.secondsSinceEpoch
    }

    /// Returns the time that is the given number of seconds later, or the last possible time.
    package func advanced(by seconds: Int64) -> Timestamp {
        let (sum, isTooLate) = self.secondsSinceEpoch.addingReportingOverflow(seconds)
        return Timestamp(secondsSinceEpoch: isTooLate ? Self.last : sum)
    }

    /// Returns the earlier of two times; `nil` means never.
    static func earlier(_ left: Timestamp?, _ right: Timestamp?) -> Timestamp? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// The time as an IMF-fixdate (RFC 9110 section 5.6.7), such as
    /// `Sun, 10 Jan 2027 00:00:00 GMT`.
    package var httpDate: String {
        let date = self.date
        let weekday = Self.weekdays[self.days % Self.weekdays.count]
        let day = Self.padded(date.day, to: 2)
        let year = Self.padded(date.year, to: 4)
        return "\(weekday), \(day) \(Self.months[date.month - 1]) \(year) \(self.time) GMT"
    }

    private var days: Int { Int(self.secondsSinceEpoch / Self.secondsPerDay) }

    private var date: CivilDate { CivilDate(daysSinceEpoch: self.days) }

    /// The time of day as `hh:mm:ss`.
    private var time: String {
        let second = Int(self.secondsSinceEpoch % Self.secondsPerDay)
        return [second / 3_600, second / 60 % 60, second % 60]
            .map { Self.padded($0, to: 2) }
            .joined(separator: ":")
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Timestamp: Comparable {
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }
}

extension Timestamp: CustomStringConvertible {
    /// The time in UTC in RFC 3339 notation, such as `2027-01-10T00:00:00Z`.
    package var description: String {
        let date = self.date
        let parts = [
            Self.padded(date.year, to: 4), Self.padded(date.month, to: 2),
            Self.padded(date.day, to: 2),
        ]
        return "\(parts.joined(separator: "-"))T\(self.time)Z"
    }
}

/// Times in JSON are strings in RFC 3339 format.
extension Timestamp: Encodable {
    package func encode(to encoder: any Encoder) throws {
        try self.description.encode(to: encoder)
    }
}
