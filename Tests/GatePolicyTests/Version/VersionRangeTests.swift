import Testing

@testable import GatePolicy

@Suite struct VersionRangeTests {
    static let cases: [(range: String, inside: [String], outside: [String])] = [
        ("3.7.2", ["3.7.2", "3.7.2.0", "v3.7.2+9"], ["3.7.1", "3.7.2.1", "3.7.2-rc.1", "3.7"]),
        ("3.7", ["3.7", "3.7.0"], ["3.7.1"]),
        ("=3.7.2", ["3.7.2"], ["3.7.3"]),
        (">=3.9.0 <3.9.4", ["3.9.0", "3.9.3.9"], ["3.8.9", "3.9.4", "3.10", "3.9.0-rc.1"]),
        (">= 3.9.0  <\t3.9.4", ["3.9.0"], ["3.9.4"]),
        (">1 <=2", ["1.0.1", "2", "2-rc.1"], ["1", "2.0.1"]),
        (">=16", ["16", "17.2.1"], ["15.8"]),
        ("3.8.x", ["3.8", "3.8.0", "3.8.99", "3.8.0-beta", "3.8.1.2"], ["3.9", "3.80", "3.9-a"]),
        ("3.X", ["3", "3.99"], ["4", "2.9"]),
        ("3.0.*", ["3", "3.0.7"], ["3.1"]),
        ("0.x", ["0", "0.4"], ["1"]),
        ("2.0.0-rc.1", ["2.0.0-rc.1"], ["2.0.0", "2.0.0-rc.2"]),
        ("<2.0.0", ["2.0.0-rc.1", "1"], ["2.0.0"]),
        ("3.8.x >=3.8.2", ["3.8.2"], ["3.8.1", "3.9"]),
        (">2 <1", [], ["1", "1.5", "2"]),
    ]

    @Test(arguments: cases)
    func `a range contains the versions that satisfy all comparisons`(
        range: String,
        inside: [String],
        outside: [String]
    ) throws {
        let range = try VersionRange(parsing: range)
        for text in inside { #expect(range.contains(try version(text)), "\(text) in \(range)") }
        for text in outside { #expect(!range.contains(try version(text)), "\(text) in \(range)") }
    }

    static let texts = [
        ("3.7.2", "3.7.2"), ("=3.7.2", "3.7.2"), (">= 3.9.0   <3.9.4", ">=3.9.0 <3.9.4"),
        ("3.8.*", "3.8.x"), ("3.8.x+45", "3.8.x"),
    ]

    @Test(arguments: texts)
    func `a range has a canonical form`(text: String, canonical: String) throws {
        #expect(try VersionRange(parsing: text).description == canonical)
        #expect(try VersionRange(parsing: text) == VersionRange(parsing: canonical))
    }

    static let errors: [(String, VersionRangeError)] = [
        ("", .empty),
        ("  ", .empty),
        (">=", .missingVersion(">=")),
        (">= <2", .missingVersion("<")),
        (">=1 <", .missingVersion("<")),
        ("x", .seriesWithoutNumber),
        ("*", .seriesWithoutNumber),
        (".x", .seriesWithoutNumber),
        (">=3.x", .comparedSeries("3.x")),
        ("3.x.x", .invalidVersion("3.x.x", .notANumber("x"))),
        ("3.x.1", .invalidVersion("3.x.1", .notANumber("x"))),
        ("^1.2", .invalidVersion("^1.2", .notANumber("^1"))),
        ("~1.2", .invalidVersion("~1.2", .notANumber("~1"))),
        ("==1.2", .invalidVersion("=1.2", .notANumber("=1"))),
        ("1.2 || 1.3", .invalidVersion("||", .notANumber("||"))),
        ("1,2", .invalidVersion("1,2", .notANumber("1,2"))),
        ("1.0-rc.x", .invalidVersion("1.0-rc.x", .notANumber("0-rc"))),
        ("1.0-rc.x+45", .invalidVersion("1.0-rc.x", .notANumber("0-rc"))),
        ("1..x", .invalidVersion("1..x", .emptyPart)),
        (">=1.2.3.4.5.6", .invalidVersion("1.2.3.4.5.6", .tooManyParts)),
    ]

    @Test(arguments: errors)
    func `an invalid range is rejected with a reason`(text: String, error: VersionRangeError) {
        #expect(throws: error) { try VersionRange(parsing: text) }
        #expect(!error.description.isEmpty)
    }

    @Test(arguments: [
        ("3.8.x", "3.9", true), ("3.8.x", "3.8.5", false), ("3.0.x", "3", false),
        ("<3.9", "3.9", true), ("<=3.9", "3.9", false), ("3.8.9", "3.9", true),
        (">=3.1 <3.2", "3.2", true), (">=3.1", "9", false), ("<=3.9.0-rc.1", "3.9.0", false),
    ])
    func `a range is wholly below a version only if that is certain`(
        range: String,
        version: String,
        isBelow: Bool
    ) throws {
        let version = try AppVersion(parsing: version)
        #expect(try VersionRange(parsing: range).isEntirelyBelow(version) == isBelow)
    }
}
