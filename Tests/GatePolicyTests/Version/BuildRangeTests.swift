import Testing

@testable import GatePolicy

@Suite struct BuildRangeTests {
    static let cases: [(String, String, [UInt64])] = [
        ("93", "93", [93, 94]),
        ("=93", "93", [93, 94]),
        (" >= 93 ", ">=93", [93]),
        (">92", ">=93", [93]),
        ("<=92", "<=92", [0, 93]),
        ("<93", "<=92", [0, 93]),
        (">=41215 <41220", ">=41215 <=41219", [41215, 41220]),
        (">=0", ">=0", [0]),
        ("18446744073709551615", "18446744073709551615", [.max]),
        (">5 >7 <=9 <12", ">=8 <=9", [8, 10]),
        ("<1", "0", [0, 1]),
    ]

    @Test(arguments: cases)
    func `a range has the builds for which all comparisons hold`(
        text: String,
        description: String,
        bounds: [UInt64]
    ) throws {
        let range = try BuildRange(parsing: text)
        #expect(range.description == description)
        #expect(range.bounds == bounds)
        #expect(try BuildRange(parsing: range.description) == range)
        #expect(range.contains(bounds[0]))
        #expect(bounds[0] == 0 || !range.contains(bounds[0] - 1))
        if bounds.count > 1 {
            #expect(range.contains(bounds[1] - 1) && !range.contains(bounds[1]))
        } else {
            #expect(range.hasNoEnd && range.contains(.max))
        }
    }

    static let errors: [(String, BuildRange.Failure)] = [
        ("", .empty), ("  ", .empty), ("1.2", .invalidBuild("1.2")), ("-1", .invalidBuild("-1")),
        ("18446744073709551616", .invalidBuild("18446744073709551616")),
        ("41x", .invalidBuild("41x")), (">=", .missingBuild(">=")),
        (">= <5", .missingBuild("<")), ("<0", .nothingWithin),
        (">18446744073709551615", .nothingWithin), (">5 <6", .nothingWithin),
        ("5 6", .nothingWithin),
    ]

    @Test(arguments: errors)
    func `what is no range is refused with its reason`(text: String, error: BuildRange.Failure) {
        #expect(throws: error) { try BuildRange(parsing: text) }
        #expect(!error.description.isEmpty)
    }
}
