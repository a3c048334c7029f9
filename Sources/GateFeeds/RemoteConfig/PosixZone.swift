internal import GatePolicy

/// A rule for all years to come, such as `CET-1CEST,M3.5.0,M10.5.0/3`: the end of zone data
/// (RFC 8536 section 3.3, POSIX 8.3 `TZ`).
struct PosixZone: Sendable, Equatable {
    /// A day of a year on which clocks are set.
    private enum Day: Equatable {
        /// The day of this week of this month, the fifth being the last; Sunday is 0.
        case weekday(month: Int, week: Int, day: Int)
        /// From 1, never the leap day.
        case numberWithoutLeapDay(Int)
        /// From 0.
        case number(Int)
    }

    private struct Change: Equatable {
        let day: Day
        /// Seconds from midnight.
        let time: Int64
    }

    private struct Summer: Equatable {
        let offset: Int64
        let start: Change
        let end: Change
    }

    private static let day: Int64 = 86_400
    private static let hour: Int64 = 3_600

    /// Seconds ahead of UTC.
    private let standard: Int64
    private let summer: Summer?

    /// Reads the rule; `nil` if it is none.
    init?(_ text: String) {
        var parser = Parser(text)
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

    /// Seconds ahead of UTC at a time, seconds since 1970.
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

    /// When the clocks are set, as they show it, as if they showed UTC.
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
        private var rest: Substring

        init(_ text: String) {
            self.rest = text[...]
        }

        var isAtEnd: Bool { self.rest.isEmpty }
        var isAtComma: Bool { self.rest.first == "," }

        /// `CET`, `<+03>`.
        mutating func skipName() -> Bool {
            guard let name = self.rest.prefixMatch(of: /[A-Za-z]{3,}|<[A-Za-z0-9+\-]+>/) else {
                return false
            }
            self.rest = self.rest[name.range.upperBound...]
            return true
        }

        /// `-1`, `5:30`, `+12:45:00`, in seconds.
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

        /// `,M3.5.0`, `,J60/2`; at two o'clock if nothing else is said.
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
