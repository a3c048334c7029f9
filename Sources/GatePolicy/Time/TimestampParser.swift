/// A parser for strings that contain only an RFC 3339 `date-time` (section 5.6).
struct TimestampParser {
    private let text: String
    private var rest: Substring.UTF8View

    init(_ text: String) {
        self.text = text
        self.rest = text.trimmingBlanks.utf8
    }

    /// Returns the seconds since 1970-01-01T00:00:00Z, which are negative for earlier times.
    mutating func parse() throws(TimestampError) -> Int64 {
        let date = try self.date()
        let time = try self.timeOfDay(after: date.text)
        let offset = try self.offset()
        guard self.rest.isEmpty else { throw self.malformed }
        return Int64(date.days * 86_400 + time - offset)
    }

    private var malformed: TimestampError { .malformed(Excerpt(self.text).text) }

    private mutating func date() throws(TimestampError) -> (days: Int, text: String) {
        let start = self.rest
        let year = try self.number(4)
        try self.skip("-")
        let month = try self.number(2)
        try self.skip("-")
        let day = try self.number(2)
        let text = self.spelling(from: start)
        guard let date = CivilDate(year: year, month: month, day: day) else {
            // A day that exists, but in a year before 1970 or after 9999, is out of range and not
            // invalid.
            let isDay =
                (1...12).contains(month)
                && (1...CivilDate.length(ofMonth: month, in: year)).contains(day)
            throw isDay ? .outOfRange : .noSuchDate(text)
        }
        return (date.daysSinceEpoch, text)
    }

    /// Parses the time of day and returns the seconds since midnight.
    private mutating func timeOfDay(after date: String) throws(TimestampError) -> Int {
        guard !self.rest.isEmpty else { throw .missingTime(date: date) }
        guard self.take("T") || self.take("t") else { throw self.malformed }
        let start = self.rest
        let hour = try self.number(2)
        try self.skip(":")
        let minute = try self.number(2)
        try self.skip(":")
        let second = try self.number(2)
        let text = self.spelling(from: start)
        if self.take(".") {
            let fraction = self.rest.prefix { $0.isDigit }
            guard !fraction.isEmpty else { throw self.malformed }
            self.rest = self.rest.dropFirst(fraction.count)
        }
        guard hour < 24, minute < 60, second <= 60 else { throw .noSuchTime(text) }
        guard second < 60 else { throw .leapSecond }
        return hour * 3_600 + minute * 60 + second
    }

    /// Parses the offset and returns the seconds by which it is ahead of UTC.
    private mutating func offset() throws(TimestampError) -> Int {
        if self.take("Z") || self.take("z") { return 0 }
        guard !self.rest.isEmpty else { throw .missingOffset }
        let start = self.rest
        let isBehind = self.take("-")
        guard isBehind || self.take("+") else { throw self.malformed }
        let hours = try self.number(2)
        try self.skip(":")
        let minutes = try self.number(2)
        guard hours < 24, minutes < 60 else { throw .noSuchOffset(self.spelling(from: start)) }
        let seconds = hours * 3_600 + minutes * 60
        return isBehind ? -seconds : seconds
    }

    /// Parses a number with exactly the given number of digits.
    private mutating func number(_ digits: Int) throws(TimestampError) -> Int {
        let text = self.rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ $0.isDigit }) else { throw self.malformed }
        self.rest = self.rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private mutating func skip(_ scalar: Unicode.Scalar) throws(TimestampError) {
        guard self.take(scalar) else { throw self.malformed }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard let byte = self.rest.first, UInt32(byte) == scalar.value else { return false }
        self.rest = self.rest.dropFirst()
        return true
    }

    /// Returns the string that has been parsed since a position.
    private func spelling(from start: Substring.UTF8View) -> String {
        String(decoding: start[start.startIndex..<self.rest.startIndex], as: UTF8.self)
    }
}
