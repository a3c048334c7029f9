import Testing

@testable import GatePolicy

@Suite struct DecimalNumberTests {
    static let cases: [(String, UInt64?)] = [
        ("0", 0), ("007", 7), ("9999999999999999999", 9_999_999_999_999_999_999),
        ("18446744073709551615", .max), ("18446744073709551616", nil),
        ("00000000000000000000000000000001", 1),
    ]

    @Test(arguments: cases)
    func `a number is an integer if it fits`(digits: String, integer: UInt64?) throws {
        let read = DecimalNumber(digits: digits.utf8Span.span)
        let number = try #require(read)
        #expect(number.integer == integer)
    }

    @Test(arguments: ["", "-1", "+1", "1 ", "a", "٣"])
    func `only ASCII digits are a number`(text: String) {
        let number = DecimalNumber(digits: text.utf8Span.span)
        #expect(number == nil)
    }
}
