/// The reason why a string is not a valid time.
package enum TimestampError: Error, Sendable, Equatable {
    /// The string is not an RFC 3339 date-time; truncated for messages.
    case malformed(String)
    /// The string has a date, but no time of day.
    case missingTime(date: String)
    /// The string has no offset from UTC.
    case missingOffset
    /// The day does not exist.
    case noSuchDate(String)
    /// The time of day does not exist.
    case noSuchTime(String)
    /// The offset does not exist, for example because it is a day or longer.
    case noSuchOffset(String)
    /// The second is 60, which Unix time does not count.
    case leapSecond
    /// The time is before 1970 or after 9999, in UTC.
    case outOfRange
}

extension TimestampError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let text):
            "'\(text)' is not a time such as '2027-01-10T00:00:00Z'"
        case .missingTime(let date):
            "the time of day is missing; write '\(date)T00:00:00Z'"
        case .missingOffset:
            #"the time has no offset; add "Z" or an offset such as "+09:00""#
        case .noSuchDate(let date):
            "the day '\(date)' does not exist"
        case .noSuchTime(let time):
            "the time of day '\(time)' is out of range"
        case .noSuchOffset(let offset):
            "the offset '\(offset)' is out of range"
        case .leapSecond:
            "leap seconds are not supported; write second 59"
        case .outOfRange:
            "the time is outside the years 1970 to 9999 (UTC)"
        }
    }
}
