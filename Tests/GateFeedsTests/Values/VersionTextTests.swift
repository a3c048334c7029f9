import GatePolicy
import Testing

@testable import GateFeeds

struct VersionTextTests {
    private static func text(_ text: String) throws -> VersionText {
        VersionText(text, try AppVersion(parsing: text))
    }

    @Test(arguments: [
        ("41200", false), ("10000", false), (" 41200 ", false), ("202611", false),
        ("20261127", false),
        ("21", true), ("1", true), ("41200", true), ("112", true),
    ])
    func `an integer that is implausible as a version is a fault`(text: String, isNumber: Bool)
        throws
    {
        let fault = try Self.text(text).fault(isNumber: isNumber, before: nil, hint: "map it")
        let digits = text.filter { $0 != " " }
        #expect(fault?.hasPrefix("is '\(digits)', a whole number") == true)
        #expect(
            fault?.contains("if it is a build, map it; if it is a version, write '\(digits).0'")
                == true
        )
    }

    @Test(arguments: [
        ("112", false), ("9999", false), ("2026", false), ("41200.0", false), ("4.1", true),
        ("4.1.0", true), ("0", true), ("0", false),
    ])
    func `a plausible version is accepted`(text: String, isNumber: Bool) throws {
        #expect(try Self.text(text).fault(isNumber: isNumber, before: nil, hint: "") == nil)
    }

    @Test(arguments: [("3", "4.0.0", true), ("4", "4.0.0", true), ("5", "4.0.0", false)])
    func `lowering a floor to an integer is accepted`(text: String, before: String, isTaken: Bool)
        throws
    {
        let before = try AppVersion(parsing: before)
        let fault = try Self.text(text).fault(isNumber: true, before: before, hint: "")
        #expect((fault == nil) == isTaken)
    }

    @Test(arguments: [
        (
            "112",
            "is the whole number 112, which is treated as version 112: if it is a build, map it"
        ),
        (
            "1.2.3+45",
            "has the suffix '+45', which is ignored in comparisons; for a minimum build, map it"
        ),
        ("1.2.3+sha.5114f85", "has the suffix '+sha.5114f85', which is ignored in comparisons"),
    ])
    func `an unusual version is noted`(text: String, remark: String) throws {
        let found = try Self.text(text).remark(hint: "map it")
        #expect(found?.hasPrefix(remark) == true, "\(found ?? "nothing")")
    }

    @Test func `the note contains the setting for a build`() throws {
        let remark = try Self.text("1.2.3+45").remark(hint: "map it")
        #expect(remark?.contains("'minimumBuild: 45'") == true)
        #expect(try Self.text("1.2.3+a").remark(hint: "map it")?.contains("minimumBuild") == false)
    }

    @Test(arguments: ["4.1.0", "v4.1", "2.0.0-rc.1", "0", "1.10"])
    func `an ordinary version is not noted`(text: String) throws {
        #expect(try Self.text(text).remark(hint: "") == nil)
    }
}
