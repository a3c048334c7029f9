/// The reason why a string is not a valid time.
package enum TimestampError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The string is not an RFC 3339 date-time.
    ///
    /// The value is the string, truncated for messages.
    case malformed(String)
    case missingTime(date: String)
    case missingOffset
    case noSuchDate(String)
    case noSuchTime(String)
    case noSuchOffset(String)
    /// The second is 60 (a leap second), which Unix time does not count.
    case leapSecond
    case outOfRange

    package var description: String {
        switch self {
        case .malformed(let text):
            "'\(text)' is not a valid time; expected a time such as '2027-01-10T00:00:00Z'"
        case .missingTime(let date):
            "the time of day is missing; write '\(date)T00:00:00Z'"
        case .missingOffset:
            #"the time has no offset; add "Z" or an offset such as "+09:00""#
        case .noSuchDate(let date):
            "the date '\(date)' does not exist"
        case .noSuchTime(let time):
            "the time of day '\(time)' is out of range"
        case .noSuchOffset(let offset):
            "the offset '\(offset)' is out of range"
        case .leapSecond:
            "leap seconds are not supported; use 59 as the second"
        case .outOfRange:
            "the time is outside the years 1970 to 9999 (UTC)"
        }
    }
}
