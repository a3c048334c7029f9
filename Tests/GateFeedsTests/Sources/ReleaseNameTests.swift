import GatePolicy
import Testing

@testable import GateFeeds

/// Release names on Google Play, which are free text.
struct ReleaseNameTests {
    @Test(arguments: [
        ("3.2.0", [4010], "3.2.0"), ("v3.2.0", [4010], "3.2.0"), ("  3.2.0 ", [4010], "3.2.0"),
        ("3.2", [4010], "3.2"), ("3.2.0.7", [4010], "3.2.0.7"), ("3.2.0-rc.1", [1], "3.2.0-rc.1"),
        ("3.2.0", [1010, 2010, 4010], "3.2.0"), ("3.2.0 (4010)", [4010], "3.2.0"),
        ("3.2.0 (1010)", [1010, 2010, 4010], "3.2.0"), ("3.2.0(4010)", [4010], "3.2.0"),
        // The Play Console's default name.
        ("4010 (3.2.0)", [4010], "3.2.0"), ("1010 (3.2.0)", [1010, 2010, 4010], "3.2.0"),
        // Calendar versions.
        ("2026.11.27", [4010], "2026.11.27"), ("2026.11", [1010, 4010], "2026.11"),
        ("2026.40.1", [1010, 4010], "2026.40.1"), ("20.26.7", [1010, 4010], "20.26.7"),
    ])
    func `a name that is a version has that version`(name: String, codes: [UInt64], version: String)
        throws
    {
        let read = ReleaseName(name, codes)
        #expect(read.version == (try AppVersion(parsing: version)))
        #expect(read.note == nil)
    }

    @Test(arguments: [
        ("Release 3", [4010]), ("2026-11 hotfix 4.1 rollback", [4010]), ("Summer 3.2.0", [4010]),
        ("3.2.0 hotfix", [4010]), ("Version 3.2.0", [4010]), ("3.2.0, 3.2.1", [4010]),
        ("3.2.0 / 3.2.1", [4010]), ("2026-11-27", [4010]), ("3", [4010]), ("4010", [4010]),
        ("41200", [41200]), ("", [4010]), ("   ", [4010]), ("rollback to 3.1.0", [4010]),
        // A number in parentheses that is not a version code of the release.
        ("3.2.0 (4011)", [4010]), ("3.2.0 (beta)", [4010]), ("4011 (3.2.0)", [4010]),
        ("3.2.0 (4010) (4010)", [4010]), ("3.2.0 ()", [4010]), ("4010 (Release 3)", [4010]),
        ("(3.2.0)", [4010]), ("3.2.0 (4010", [4010]), ("4010 (3)", [4010]),
        // Google Play's default names for several artifacts, and similar texts.
        ("2026.11.27", [1010, 4010]), ("2026.14.1", [1010, 4010]), ("27.11.2026", [1010, 4010]),
        ("11.27.2026", [1010, 4010]),
        ("Nov 27 2026", [1010, 4010]),
    ])
    func `an ambiguous name has no version`(name: String, codes: [UInt64]) {
        let read = ReleaseName(name, codes)
        #expect(read.version == nil)
        #expect(read.note?.contains("only counts for rules with builds") == true)
    }

    @Test func `a release without a name is reported with its builds`() {
        #expect(
            ReleaseName(nil, [1010, 4010]).note
                == "the release with builds 1010, 4010 has no name: it only counts for rules with "
                + "builds; use a name such as '3.2.0' or '3.2.0 (3020)'"
        )
        let long = String(repeating: "x", count: 500)
        #expect(ReleaseName(long, [4010]).note.map { $0.count < 300 } == true)
    }
}
