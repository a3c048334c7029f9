import Testing

@testable import GatePolicy

/// The version, the build and the platform in a version header, each parsed independently.
@Suite struct VersionStatementTests {
    struct Case: CustomTestStringConvertible {
        let text: String
        let version: String
        let build: String
        let platform: String

        /// `-` for a missing part, `?` for an unparsable one.
        init(_ text: String, _ version: String, _ build: String = "-", _ platform: String = "-") {
            self.text = text
            self.version = version
            self.build = build
            self.platform = platform
        }

        var testDescription: String { self.text }
    }

    static let forms: [Case] = [
        // Parentheses, the format of Apple's tools.
        Case("1.2.3", "1.2.3"),
        Case("1.3.0 (93)", "1.3.0", "93"),
        Case("1.0.3(6)", "1.0.3", "6"),
        Case(" v1.0.3 (006) ", "1.0.3", "6"),
        Case("1.0.0-rc.1 (7)", "1.0.0-rc.1", "7"),
        Case("1 (18446744073709551615)", "1", "18446744073709551615"),
        Case("3.4.9 (93.1)", "3.4.9", "93.1"),
        Case("3.4.9 (3.4.9.1)", "3.4.9", "3.4.9.1"),
        Case("18.9 (18.9.0.1)", "18.9", "18.9.0.1"),
        Case("3.4.9 ( 93 )", "3.4.9", "93"),
        Case("3.4.9 (20261127)", "3.4.9", "20261127"),
        Case("3.4.9 (2026.11.27.1)", "3.4.9", "2026.11.27.1"),
        // A plus sign, the format of Flutter.
        Case("1.2.3+45", "1.2.3", "45"),
        Case("1.2.3+045", "1.2.3", "45"),
        Case("1.2.3+93.1", "1.2.3", "93.1"),
        Case("1.2.3-rc.1+45", "1.2.3-rc.1", "45"),
        Case("v1.2.3+45", "1.2.3", "45"),
        Case("1.2.3+exp.sha-5114f85", "1.2.3"),
        Case("1.2.3+build.7", "1.2.3"),
        Case("1.2.3+45-debug", "1.2.3"),
        Case("1.2.3+", "1.2.3"),
        Case("1.2.3+a..b", "1.2.3"),
        Case("1.2.3+45+46", "1.2.3"),
        // A slash.
        Case("3.4.9/93", "3.4.9", "93"),
        Case("3.4.9 / 93", "3.4.9", "93"),
        Case("v3.4.9/93.1", "3.4.9", "93.1"),
        Case("1.73.3/2001002183", "1.73.3", "2001002183"),
        Case("16.43/201106", "16.43", "201106"),
        Case("8.3.2254.55686/52.0", "8.3.2254.55686", "52.0"),
        Case("3.4.9/", "3.4.9"),
        Case("ios/3.4.9", "3.4.9", "-", "ios"),
        Case("iPhone OS / 3.4.9 (93)", "3.4.9", "93", "ios"),
        Case("android/3.4.9+93", "3.4.9", "93", "android"),
        Case("ios/3.4.9/93", "3.4.9", "93", "ios"),
        Case("vision/1.0", "1.0"),
        Case("/3.4.0", "3.4.0", "-", "?"),
        // The same build twice, and two different builds.
        Case("1.2.3+45 (45)", "1.2.3", "45"),
        Case("1.2.3+45 (46)", "1.2.3", "?"),
        Case("1.2.3 (45)/45.0", "1.2.3", "45"),
        Case("1.2.3 (45)/46", "1.2.3", "?"),
    ]

    static let unreadable: [Case] = [
        // An unparsable build does not affect the version.
        Case("1.3.0 ()", "1.3.0"),
        Case("1.3.0 (9a)", "1.3.0", "?"),
        Case("1.3.0 (-1)", "1.3.0", "?"),
        Case("1.3.0 (debug)", "1.3.0", "?"),
        Case("1.3.0 (93.1.2.3.4)", "1.3.0", "?"),
        Case("1.3.0 (18446744073709551616)", "1.3.0", "?"),
        Case("1.3.0+18446744073709551616", "1.3.0", "?"),
        Case("1.3.0+1.2.3.4.5", "1.3.0", "?"),
        Case("1.3.0 (93", "1.3.0", "?"),
        Case("1.3.0 (93) beta", "1.3.0", "?"),
        Case("1.3.0 ((93))", "1.3.0", "?"),
        Case("3.4.9/6f1c2d3e-4b5a-4c6d-8e7f-0123456789ab", "3.4.9", "?"),
        Case("3.4.9/93/94", "3.4.9", "?"),
        Case("1.0 (" + String(repeating: "0", count: 64) + "1)", "1.0", "?"),
        // An unparsable version does not affect the build and a known platform.
        Case("(93)", "?", "93"),
        Case("1.x (93)", "?", "93"),
        Case("3.4.9b2 (93)", "?", "93"),
        Case("3.4.9b2/93", "?", "93"),
        Case("3.4.9.debug+93", "?", "93"),
        Case("ios/3.x", "?", "-", "ios"),
        Case("ios/", "?", "-", "ios"),
        Case("iPad/banana (93)", "?", "93", "ios"),
        Case("banana/3.x", "?"),
        Case("N/A", "?"),
        Case("+93", "?", "93"),
        Case("1.3.0 93)", "?"),
        Case("Version 3.4.9", "?"),
        Case("", "?"),
    ]

    @Test(arguments: forms + unreadable)
    func `each part of a value is parsed independently`(_ one: Case) {
        let statement = VersionStatement(parsing: one.text)
        #expect(Self.text(statement.version) == one.version)
        #expect(Self.text(statement.build) == one.build)
        #expect(Self.text(statement.platform) == one.platform)
    }

    private static func text<Value: CustomStringConvertible>(_ claim: Claim<Value>) -> String {
        switch claim {
        case .missing: "-"
        case .unreadable: "?"
        case .stated(let value): value.description
        }
    }
}
