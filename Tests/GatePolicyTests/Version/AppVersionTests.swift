import Testing

@testable import GatePolicy

@Suite struct AppVersionTests {
    static let readable: [(String, String)] = [
        ("1", "1"),
        ("1.2.3", "1.2.3"),
        ("1.2.3.4.5", "1.2.3.4.5"),
        ("v1.2", "1.2"),
        ("V1.2", "1.2"),
        ("v1.0.0", "1.0.0"),
        (" 1.2.3 ", "1.2.3"),
        ("\t1.2.3 \t", "1.2.3"),
        ("01.2.3", "1.2.3"),
        ("1.02", "1.2"),
        ("007", "7"),
        ("2026.07.01", "2026.7.1"),
        ("2025.11.0", "2025.11.0"),
        ("0", "0"),
        ("000", "0"),
        ("1.2.3+45", "1.2.3"),
        ("1.2.3+exp.sha-5114f85", "1.2.3"),
        ("3.4.0-rc.1", "3.4.0-rc.1"),
        ("3.4.0-rc.1+7", "3.4.0-rc.1"),
        ("1-2", "1-2"),
        ("1.0-x-y.7", "1.0-x-y.7"),
        ("1.2.3-01", "1.2.3-1"),
        ("9223372036854775808", "9223372036854775808"),
        ("18446744073709551615.1", "18446744073709551615.1"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        (String(repeating: "9", count: 64), String(repeating: "9", count: 64)),
        ("1.0." + String(repeating: "0", count: 60), "1.0.0"),
    ]

    @Test(arguments: readable)
    func `a valid version has a canonical form`(text: String, canonical: String) throws {
        #expect(try version(text).description == canonical)
        let isPlain = AppVersion.isPlain(text.utf8Span.span)
        #expect(isPlain == (text == canonical && !text.contains("-")))
    }

    static let unreadable: [(String, VersionError)] = [
        ("", .empty),
        (" ", .empty),
        (" \t ", .empty),
        ("1..2", .emptyPart),
        ("1.2.", .emptyPart),
        (".1", .emptyPart),
        (".", .emptyPart),
        ("v", .notANumber("v")),
        ("vv1", .notANumber("vv1")),
        ("v 1.2", .notANumber("v 1")),
        ("+1.2", .emptyPart),
        ("-1.2", .emptyPart),
        ("-0", .emptyPart),
        ("1.-2", .emptyPart),
        ("1.+2", .emptyPart),
        ("1.x", .notANumber("x")),
        ("1.2.beta", .notANumber("beta")),
        ("1.2.3rc1", .notANumber("3rc1")),
        ("0x10.0.0", .notANumber("0x10")),
        ("1e3.0.0", .notANumber("1e3")),
        ("1_0", .notANumber("1_0")),
        ("９.１", .notANumber("９")),
        ("１.2", .notANumber("１")),
        ("١.٢", .notANumber("١")),
        ("²", .notANumber("²")),
        ("1\u{301}", .notANumber("1\u{301}")),
        ("1.2\u{A0}", .notANumber("2\u{A0}")),
        ("\u{3000}1.2", .notANumber("\u{3000}1")),
        ("1.2\n", .notANumber("2\u{FFFD}")),
        ("1 .2", .notANumber("1 ")),
        ("1.2.3.4.5.6", .tooManyParts),
        ("1.2.3-", .invalidPrerelease("")),
        ("1.2.3-a..b", .invalidPrerelease("a..b")),
        ("1.2.3-a_b", .invalidPrerelease("a_b")),
        ("1.2.3+", .invalidBuildMetadata("")),
        ("1.2.3+a..b", .invalidBuildMetadata("a..b")),
        ("1.2+3+4", .invalidBuildMetadata("3+4")),
        ("9.0.0, 1.0.0", .notANumber("0, 1")),
        ("1.3.0 (93)", .notANumber("0 (93)")),
        ("Varies with device", .notANumber("Varies with device")),
        ("Entertainment", .notANumber("Entertainment")),
        ("samsung/hero2ltexx/hero2lte:8.0.0", .notANumber("samsung/hero2ltexx/hero2lte:8")),
        (String(repeating: "9", count: 65), .tooLong),
        (String(repeating: "1.", count: 100_000), .tooLong),
        ("\0", .notANumber("\u{FFFD}")),
    ]

    @Test(arguments: unreadable)
    func `other texts are unparsable and never zero`(text: String, error: VersionError) {
        #expect(throws: error) { try version(text) }
        let isPlain = AppVersion.isPlain(text.utf8Span.span)
        #expect(!isPlain)
    }

    @Test func `an error describes the problem`() {
        #expect(VersionError.notANumber("x").description == "'x' is not a number in ASCII digits")
        #expect(VersionError.tooLong.description == "the version is longer than 64 bytes")
    }

    static let ascending: [[String]] = [
        ["1.9.0", "1.10.0"],
        ["1.0", "1.0.1", "1.0.10", "1.1", "2"],
        ["1.2.3", "1.2.3.4", "1.2.3.4.5"],
        [
            "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
            "1.0.0-beta.11", "1.0.0-pc.10", "1.0.0-rc.1", "1.0.0",
        ],
        ["0.9.9", "1.0.0-0", "1.0.0-2", "1.0.0-10", "1.0.0-A", "1.0.0-a", "1"],
        [
            "9223372036854775807", "9223372036854775808", "18446744073709551615",
            "18446744073709551616", "99999999999999999999", "100000000000000000000",
            "123456789012345678901234567890", "123456789012345678901234567891",
        ],
        ["0.1", "0.1.0.1", "0.2-rc", "0.2"],
    ]

    @Test(arguments: ascending)
    func `versions are ordered by their numbers and then by the rules of SemVer 2`(texts: [String])
        throws
    {
        let versions = try texts.map { try version($0) }
        for (index, left) in versions.enumerated() {
            for (other, right) in versions.enumerated() {
                #expect((left < right) == (index < other), "\(left) < \(right)")
                #expect((left == right) == (index == other), "\(left) == \(right)")
            }
        }
    }

    static let equal: [(String, String)] = [
        ("1.0", "1.0.0"), ("1", "1.0.0.0.0"), ("0", "0.0"), ("1.2.3+45", "1.2.3+46"),
        ("v1.2", "1.2.0"), ("01.2.3", "1.2.3"), ("1.0-rc.1", "1.0.0-rc.1"),
        ("0000000000000000000000012", "12"), ("1-01", "1-1"),
    ]

    @Test(arguments: equal)
    func `equal versions are one value`(left: String, right: String) throws {
        let versions = [try version(left), try version(right)]
        #expect(versions[0] == versions[1])
        #expect(Set(versions).count == 1)
        #expect(!(versions[0] < versions[1]) && !(versions[1] < versions[0]))
    }

    static let releases = [("2.0.0-rc.1", "2.0.0"), ("2.0-rc.1", "2"), ("2.1", "2.1")]

    @Test(arguments: releases)
    func `a pre-release has a release`(text: String, release: String) throws {
        #expect(try version(text).release == version(release))
    }
}
