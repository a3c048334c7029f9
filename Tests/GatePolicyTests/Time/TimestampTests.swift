import GateTestSupport
import Testing

@testable import GatePolicy

@Suite(.ownThread)
struct TimestampTests {
    static let good: [(String, Int64, String)] = [
        ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z"),
        ("1970-01-01T09:00:00+09:00", 0, "1970-01-01T00:00:00Z"),
        ("1970-01-02T00:00:00Z", 86_400, "1970-01-02T00:00:00Z"),
        ("2000-02-29T12:00:00Z", 951_825_600, "2000-02-29T12:00:00Z"),
        ("2026-12-01T00:00:00Z", 1_796_083_200, "2026-12-01T00:00:00Z"),
        ("2027-01-10T00:00:00+09:00", 1_799_506_800, "2027-01-09T15:00:00Z"),
        ("2027-01-10T00:00:00-00:00", 1_799_539_200, "2027-01-10T00:00:00Z"),
        ("2026-12-31T23:30:00-01:30", 1_798_765_200, "2027-01-01T01:00:00Z"),
        ("2028-02-29t23:59:59z", 1_835_481_599, "2028-02-29T23:59:59Z"),
        ("2027-01-10T00:00:00.999999999999Z", 1_799_539_200, "2027-01-10T00:00:00Z"),
        ("  2027-01-10T00:00:00.5+23:59\t", 1_799_452_860, "2027-01-09T00:01:00Z"),
        ("2400-02-29T00:00:00Z", 13_574_563_200, "2400-02-29T00:00:00Z"),
        ("9999-12-31T23:59:59Z", 253_402_300_799, "9999-12-31T23:59:59Z"),
    ]

    @Test(arguments: good)
    func `a date-time of RFC 3339 is parsed to a second`(text: String, seconds: Int64, utc: String)
        throws
    {
        let time = try Timestamp(parsing: text)
        #expect(time.secondsSinceEpoch == seconds)
        #expect(time.description == utc)
        #expect(try Timestamp(parsing: time.description) == time)
    }

    static let bad: [(String, TimestampError)] = [
        ("", .malformed("")),
        ("soon", .malformed("soon")),
        ("1799539200", .malformed("1799539200")),
        ("2027-1-10T00:00:00Z", .malformed("2027-1-10T00:00:00Z")),
        ("2027-01-10 00:00:00Z", .malformed("2027-01-10 00:00:00Z")),
        ("2027-01-10T00:00Z", .malformed("2027-01-10T00:00Z")),
        ("2027-01-10T00:00:00.Z", .malformed("2027-01-10T00:00:00.Z")),
        ("2027-01-10T00:00:00,5Z", .malformed("2027-01-10T00:00:00,5Z")),
        ("2027-01-10T00:00:00ZZ", .malformed("2027-01-10T00:00:00ZZ")),
        ("2027-01-10T00:00:00+09", .malformed("2027-01-10T00:00:00+09")),
        ("2027-01-10T00:00:00+0900", .malformed("2027-01-10T00:00:00+0900")),
        ("2027-01-10T00:00:00 JST", .malformed("2027-01-10T00:00:00 JST")),
        ("-027-01-10T00:00:00Z", .malformed("-027-01-10T00:00:00Z")),
        ("２027-01-10T00:00:00Z", .malformed("２027-01-10T00:00:00Z")),
        ("12027-01-10T00:00:00Z", .malformed("12027-01-10T00:00:00Z")),
        ("2027-01-10", .missingTime(date: "2027-01-10")),
        ("2027-01-10T00:00:00", .missingOffset),
        ("2027-01-10T00:00:00.25", .missingOffset),
        ("2027-00-10T00:00:00Z", .noSuchDate("2027-00-10")),
        ("2027-13-10T00:00:00Z", .noSuchDate("2027-13-10")),
        ("2027-04-31T00:00:00Z", .noSuchDate("2027-04-31")),
        ("2027-01-00T00:00:00Z", .noSuchDate("2027-01-00")),
        ("2027-02-29T00:00:00Z", .noSuchDate("2027-02-29")),
        ("2100-02-29T00:00:00Z", .noSuchDate("2100-02-29")),
        ("2027-01-10T24:00:00Z", .noSuchTime("24:00:00")),
        ("2027-01-10T00:60:00Z", .noSuchTime("00:60:00")),
        ("2027-01-10T00:00:61Z", .noSuchTime("00:00:61")),
        ("2016-12-31T23:59:60Z", .leapSecond),
        ("2027-01-10T00:00:00+24:00", .noSuchOffset("+24:00")),
        ("2027-01-10T00:00:00-09:60", .noSuchOffset("-09:60")),
        ("1969-12-31T23:59:59Z", .outOfRange),
        ("0000-02-29T00:00:00Z", .outOfRange),
        ("1970-01-01T00:00:00+00:01", .outOfRange),
        ("9999-12-31T23:59:59-00:01", .outOfRange),
    ]

    @Test(arguments: bad)
    func `other texts are rejected with a specific error`(text: String, error: TimestampError) {
        #expect(throws: error) { try Timestamp(parsing: text) }
    }

    @Test func `the error for a missing offset contains the fix`() {
        #expect(
            TimestampError.missingOffset.description
                == #"the time has no offset; add "Z" or an offset such as "+09:00""#
        )
        #expect(
            TimestampError.missingTime(date: "2027-01-10").description
                == "the time of day is missing; write '2027-01-10T00:00:00Z'"
        )
        let errors = Set(Self.bad.map(\.1.description))
        #expect(errors.allSatisfy { !$0.isEmpty })
    }

    static let httpDates: [(Int64, String)] = [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (86_399, "Thu, 01 Jan 1970 23:59:59 GMT"),
        (86_400, "Fri, 02 Jan 1970 00:00:00 GMT"),
        (68_169_599, "Mon, 28 Feb 1972 23:59:59 GMT"),
        (68_169_600, "Tue, 29 Feb 1972 00:00:00 GMT"),
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
        (978_220_800, "Sun, 31 Dec 2000 00:00:00 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        (1_740_787_199, "Fri, 28 Feb 2025 23:59:59 GMT"),
        (1_740_787_200, "Sat, 01 Mar 2025 00:00:00 GMT"),
        (1_799_539_200, "Sun, 10 Jan 2027 00:00:00 GMT"),
        (1_835_481_599, "Tue, 29 Feb 2028 23:59:59 GMT"),
        (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (13_574_563_200, "Tue, 29 Feb 2400 00:00:00 GMT"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ]

    @Test(arguments: httpDates)
    func `an HTTP date is an IMF-fixdate`(seconds: Int64, text: String) {
        #expect(Timestamp(secondsSinceEpoch: seconds).httpDate == text)
    }

    @Test func `every day has an HTTP date`() {
        // The days from 1970 to 2400, computed with the rule for leap years.
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        var dayCount: Int64 = 0
        for year in 1970...2400 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, length) in zip(months, lengths) {
                for day in 1...length {
                    let expected =
                        "\(weekdays[Int(dayCount % 7)]), \(day < 10 ? "0" : "")\(day) \(month) \(year)"
                    let text = Timestamp(secondsSinceEpoch: dayCount * 86_400).httpDate
                    if text != "\(expected) 00:00:00 GMT" { Issue.record("\(text): \(expected)") }
                    dayCount += 1
                }
            }
        }
    }

    @Test func `a second outside the years 1970 to 9999 is clamped`() {
        let first = Timestamp(secondsSinceEpoch: 0)
        let last = Timestamp(secondsSinceEpoch: 253_402_300_799)
        #expect(Timestamp(secondsSinceEpoch: .min) == first)
        #expect(Timestamp(secondsSinceEpoch: .max) == last)
        #expect(first.seconds(until: last) == 253_402_300_799)
        #expect(last.seconds(until: first) == -253_402_300_799)
    }

    @Test func `every day in eight centuries is converted and converted back`() throws {
        var day = 0
        for year in 1970...2800 {
            for month in 1...12 {
                for dayOfMonth in 1...CivilDate.length(ofMonth: month, in: year) {
                    let date = try #require(
                        CivilDate(year: year, month: month, day: dayOfMonth)
                    )
                    try #require(date.daysSinceEpoch == day)
                    try #require(CivilDate(daysSinceEpoch: day) == date)
                    day += 1
                }
            }
        }
    }

    @Test func `every second is formatted and parsed, and ordered like its text`() throws {
        var random = SeededGenerator(seed: 7)
        var previous = Timestamp(secondsSinceEpoch: 0)
        for _ in 0..<2_000 {
            let time = Timestamp(
                secondsSinceEpoch: .random(in: 0...253_402_300_799, using: &random)
            )
            #expect(try Timestamp(parsing: time.description) == time)
            #expect((previous < time) == (previous.description < time.description))
            previous = time
        }
    }

    @Test func `parsing any text gives a timestamp or an error`() {
        var random = SeededGenerator(seed: 8)
        let alphabet = Array("0123456789-:TZ+. é\0")
        for _ in 0..<5_000 {
            var text = Array("2027-01-10T00:00:00+09:00")
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                text[place] = alphabet.randomElement(using: &random) ?? "0"
            }
            let time = try? Timestamp(
                parsing: String(text.prefix(.random(in: 0...25, using: &random)))
            )
            #expect(time.map { $0.secondsSinceEpoch >= 0 } ?? true)
        }
    }
}
