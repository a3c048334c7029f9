internal import GatePolicy

/// A time zone rule for future years, such as `CET-1CEST,M3.5.0,M10.5.0/3`, from the footer of zone
/// data (RFC 8536 section 3.3, POSIX 8.3 `TZ`).
struct PosixZone: Sendable, Equatable {
    /// The day of a clock change.
    private enum Day: Equatable {
        /// The given weekday in a week of a month; week 5 is the last one, and Sunday is 0.
        case weekday(month: Int, week: Int, day: Int)
        /// The day of the year, counted from 1 without leap days.
        case numberWithoutLeapDay(Int)
        /// The day of the year, counted from 0.
        case number(Int)
    }

    private struct Change: Equatable {
        let day: Day
        /// The time in seconds after midnight.
        let time: Int64
    }

    private struct Summer: Equatable {
        let offset: Int64
        let start: Change
        let end: Change
    }

    private static let day: Int64 = 86_400
    private static let hour: Int64 = 3_600

    /// The offset of standard time from UTC, in seconds.
    private let standard: Int64
    private let summer: Summer?

    /// Parses the rule; returns `nil` if it is invalid.
    init?(_ text: String) {
        var parser = Parser(rest: text[...])
        guard parser.skipName(), let west = parser.time() else { return nil }
        self.standard = -west
        guard !parser.isAtEnd else {
            self.summer = nil
            return
        }
        guard parser.skipName() else { return nil }
        var offset = self.standard + Self.hour
        if !parser.isAtComma {
            guard let west = parser.time() else { return nil }
            offset = -west
        }
        guard let start = parser.change(), let end = parser.change(), parser.isAtEnd else {
            return nil
        }
        self.summer = Summer(offset: offset, start: start, end: end)
    }

    /// Returns the offset from UTC in seconds.
    ///
    /// `time` is in seconds since 1970.
    func offset(at time: Int64) -> Int64 {
        guard let summer else { return self.standard }
        let days = Int(max(0, time + self.standard) / Self.day)
        let year = CivilDate(daysSinceEpoch: days).year
        guard let start = Self.seconds(of: summer.start, in: year),
            let end = Self.seconds(of: summer.end, in: year)
        else { return self.standard }
        let begins = start - self.standard
        let ends = end - summer.offset
        let isSummer =
            begins < ends ? begins <= time && time < ends : !(ends <= time && time < begins)
        return isSummer ? summer.offset : self.standard
    }

    /// Returns the local time of a clock change, in seconds since 1970 as if it were UTC.
    private static func seconds(of change: Change, in year: Int) -> Int64? {
        guard let first = CivilDate(year: year, month: 1, day: 1)?.daysSinceEpoch else {
            return nil
        }
        let day: Int
        switch change.day {
        case .number(let number): day = first + number
        case .numberWithoutLeapDay(let number):
            let hasLeapDay = CivilDate.length(ofMonth: 2, in: year) == 29
            day = first + number - (hasLeapDay && number >= 60 ? 0 : 1)
        case .weekday(let month, let week, let weekday):
            guard let start = CivilDate(year: year, month: month, day: 1)?.daysSinceEpoch else {
                return nil
            }
            // 1970-01-01 was a Thursday.
            let firstOne = (weekday - (start + 4) % 7 + 7) % 7
            let length = CivilDate.length(ofMonth: month, in: year)
            var number = firstOne + (week - 1) * 7
            if number >= length { number -= 7 }
            day = start + number
        }
        return Int64(day) * Self.day + change.time
    }

    private struct Parser {
        var rest: Substring

        var isAtEnd: Bool { self.rest.isEmpty }
        var isAtComma: Bool { self.rest.first == "," }

        /// Skips a name such as `CET` or `<+03>`; returns `false` if there is none.
        mutating func skipName() -> Bool {
            guard let name = self.rest.prefixMatch(of: /[A-Za-z]{3,}|<[A-Za-z0-9+\-]+>/) else {
                return false
            }
            self.rest = self.rest[name.range.upperBound...]
            return true
        }

        /// Parses a time such as `-1`, `5:30` or `+12:45:00`, and returns it in seconds.
        mutating func time() -> Int64? {
            let pattern = /([+\-]?)([0-9]{1,3})(?::([0-9]{2}))?(?::([0-9]{2}))?/
            guard let match = self.rest.prefixMatch(of: pattern), let hours = Int64(match.2) else {
                return nil
            }
            self.rest = self.rest[match.range.upperBound...]
            let minutes = match.3.flatMap { Int64($0) } ?? 0
            let seconds = match.4.flatMap { Int64($0) } ?? 0
            let time = hours * PosixZone.hour + minutes * 60 + seconds
            return match.1 == "-" ? -time : time
        }

        /// Parses a clock change such as `,M3.5.0` or `,J60/2`; the default time is 02:00.
        mutating func change() -> Change? {
            guard self.rest.popFirst() == ",", let day = self.day() else { return nil }
            guard self.rest.first == "/" else { return Change(day: day, time: 2 * PosixZone.hour) }
            self.rest = self.rest.dropFirst()
            return self.time().map { Change(day: day, time: $0) }
        }

        private mutating func day() -> Day? {
            if let match = self.rest.prefixMatch(of: /M([0-9]{1,2})\.([1-5])\.([0-6])/),
                let month = Int(match.1), let week = Int(match.2), let day = Int(match.3)
            {
                self.rest = self.rest[match.range.upperBound...]
                return .weekday(month: month, week: week, day: day)
            }
            guard let match = self.rest.prefixMatch(of: /(J?)([0-9]{1,3})/),
                let number = Int(match.2)
            else { return nil }
            self.rest = self.rest[match.range.upperBound...]
            if match.1.isEmpty { return number <= 365 ? .number(number) : nil }
            return (1...365).contains(number) ? .numberWithoutLeapDay(number) : nil
        }
    }
}
