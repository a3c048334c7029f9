import GatePolicy
import Testing

@testable import GateWire

struct HTTPDateTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (86399, "Thu, 01 Jan 1970 23:59:59 GMT"),
        (86400, "Fri, 02 Jan 1970 00:00:00 GMT"),
        (68_169_599, "Mon, 28 Feb 1972 23:59:59 GMT"),
        (68_169_600, "Tue, 29 Feb 1972 00:00:00 GMT"),
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
        (978_220_800, "Sun, 31 Dec 2000 00:00:00 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        (1_740_787_199, "Fri, 28 Feb 2025 23:59:59 GMT"),
        (1_740_787_200, "Sat, 01 Mar 2025 00:00:00 GMT"),
        (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (13_574_563_200, "Tue, 29 Feb 2400 00:00:00 GMT"),
    ])
    func `a time is formatted as IMF-fixdate`(_ seconds: Int, _ text: String) {
        #expect(HTTPDate.text(secondsSinceEpoch: seconds) == text)
    }

    @Test func `every day follows the previous one`() {
        // Computed with the rule for leap years, from 1970 to 2400.
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        var dayCount = 0
        for year in 1970...2400 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, length) in zip(months, lengths) {
                for day in 1...length {
                    let expected =
                        "\(weekdays[dayCount % 7]), \(day < 10 ? "0" : "")\(day) \(month) \(year)"
                    let text = HTTPDate.text(secondsSinceEpoch: dayCount * 86400)
                    if text != "\(expected) 00:00:00 GMT" { Issue.record("\(text): \(expected)") }
                    dayCount += 1
                }
            }
        }
    }

    @Test func `the line is a complete field line`() {
        let time = Timestamp(secondsSinceEpoch: 784_111_777)
        let line = String(decoding: HTTPDate.line(time), as: UTF8.self)
        #expect(line == "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n")
    }
}
