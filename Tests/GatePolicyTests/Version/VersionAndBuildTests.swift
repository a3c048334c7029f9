import Testing

@testable import GatePolicy

@Suite struct VersionAndBuildTests {
    static let readable: [(String, String, UInt64?)] = [
        ("1.3.0 (93)", "1.3.0", 93),
        ("1.0.3(6)", "1.0.3", 6),
        (" v1.0.3 (006) ", "1.0.3", 6),
        ("1.0.0-rc.1 (7)", "1.0.0-rc.1", 7),
        ("1.2.3+45", "1.2.3", nil),
        ("1.2.3", "1.2.3", nil),
        ("1 (18446744073709551615)", "1", .max),
    ]

    @Test(arguments: readable)
    func `a build in parentheses belongs to the version`(
        text: String,
        version: String,
        build: UInt64?
    ) throws {
        let parsed = try VersionAndBuild(parsing: text)
        #expect(parsed.version.description == version)
        #expect(parsed.build == build)
    }

    static let unreadable: [(String, VersionError)] = [
        ("", .empty),
        ("(93)", .emptyPart),
        ("1.3.0 ()", .invalidBuildNumber("")),
        ("1.3.0 (9a)", .invalidBuildNumber("9a")),
        ("1.3.0 (-1)", .invalidBuildNumber("-1")),
        ("1.3.0 (1.2)", .invalidBuildNumber("1.2")),
        ("1.3.0 (18446744073709551616)", .invalidBuildNumber("18446744073709551616")),
        ("1.3.0 (93", .notANumber("0 (93")),
        ("1.3.0 93)", .notANumber("0 93)")),
        ("1.x (93)", .notANumber("x")),
        ("1.0 (" + String(repeating: "0", count: 64) + "1)", .tooLong),
    ]

    @Test(arguments: unreadable)
    func `a version is never read by half`(text: String, error: VersionError) {
        #expect(throws: error) { try VersionAndBuild(parsing: text) }
    }
}
