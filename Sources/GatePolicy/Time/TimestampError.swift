/// Why a text is not a point in time.
package enum TimestampError: Error, Sendable, Equatable {
    /// The text does not have the form of an RFC 3339 date-time; shortened, for messages.
    case malformed(String)
    /// There is a date, and no time of day.
    case missingTime(date: String)
    /// Nothing says which clock the time is read from.
    case missingOffset
    /// The calendar has no such day.
    case noSuchDate(String)
    /// No day has such a time.
    case noSuchTime(String)
    /// The offset is a day or longer.
    case noSuchOffset(String)
    /// A second 60, which Unix time does not count.
    case leapSecond
    /// Before 1970 or after 9999, in UTC.
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
            "there is no day '\(date)'"
        case .noSuchTime(let time):
            "there is no time '\(time)'"
        case .noSuchOffset(let offset):
            "there is no offset '\(offset)'"
        case .leapSecond:
            "leap seconds are not counted; write second 59"
        case .outOfRange:
            "the time is not in the years 1970 to 9999 (UTC)"
        }
    }
}
