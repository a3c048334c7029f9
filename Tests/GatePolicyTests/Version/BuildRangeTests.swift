import Testing

@testable import GatePolicy

@Suite struct BuildRangeTests {
    static let cases: [(String, String, within: [String], outside: [String])] = [
        ("93", "93", ["93", "93.0"], ["92", "92.9", "93.0.0.1", "94"]),
        ("=93", "93", ["93"], ["94"]),
        (" >= 93 ", ">=93", ["93", "93.1", "94"], ["92.9"]),
        (">92", ">92", ["92.0.0.1", "92.1", "93"], ["92", "92.0"]),
        ("<=92", "<=92", ["0", "92"], ["92.1", "93"]),
        ("<93", "<93", ["0", "92", "92.9.9.9"], ["93", "93.1"]),
        (">=41215 <41220", ">=41215 <41220", ["41215", "41219.7"], ["41214", "41220"]),
        (">=0", ">=0", ["0"], []),
        ("18446744073709551615", "18446744073709551615", ["18446744073709551615"], ["0"]),
        (">5 >7 <=9 <12", ">7 <=9", ["8", "7.5", "9"], ["7", "9.1", "10"]),
        ("<1", "<1", ["0", "0.9"], ["1"]),
        (">=18.9.0.2", ">=18.9.0.2", ["18.9.0.2", "18.10"], ["18.9.0.1", "18.9"]),
        (">93.1 <=93.4", ">93.1 <=93.4", ["93.1.1", "93.4"], ["93.1", "93.4.1"]),
        ("<93.10", "<93.10", ["93.9", "93.1"], ["93.10", "93.11"]),
    ]

    @Test(arguments: cases)
    func `a range contains the builds that satisfy all comparisons`(
        text: String,
        description: String,
        within: [String],
        outside: [String]
    ) throws {
        let range = try BuildRange(parsing: text)
        #expect(range.description == description)
        #expect(try BuildRange(parsing: range.description) == range)
        for build in within { #expect(range.contains(try BuildNumber(parsing: build)), "\(build)") }
        for build in outside {
            #expect(!range.contains(try BuildNumber(parsing: build)), "\(build)")
        }
        let bounds = range.bounds
        #expect(range.contains(bounds[0]))
        #expect(bounds[0].predecessor.map { !range.contains($0) } ?? true)
        if bounds.count > 1 {
            #expect(bounds[1].predecessor.map(range.contains) ?? false)
            #expect(!range.contains(bounds[1]))
        } else {
            #expect(range.isUnbounded && range.contains(.max))
        }
    }

    static let errors: [(String, BuildRange.Failure)] = [
        ("", .empty), ("  ", .empty), ("1.2.3.4.5", .invalidBuild("1.2.3.4.5")),
        ("1.", .invalidBuild("1.")), ("1.x", .invalidBuild("1.x")), ("-1", .invalidBuild("-1")),
        ("18446744073709551616", .invalidBuild("18446744073709551616")),
        ("41x", .invalidBuild("41x")), (">=", .missingBuild(">=")),
        (">= <5", .missingBuild("<")), ("<0", .nothingWithin), (">5 <5.0.0.1", .nothingWithin),
        (
            ">18446744073709551615.18446744073709551615.18446744073709551615.18446744073709551615",
            .invalidBuild("18446744073709551615.18446744073709551615.18446744073709551615.1…")
        ),
        ("5 6", .nothingWithin),
    ]

    @Test(arguments: errors)
    func `an invalid range is rejected with a reason`(text: String, error: BuildRange.Failure) {
        #expect(throws: error) { try BuildRange(parsing: text) }
        #expect(!error.description.isEmpty)
    }
}
