import Testing

@testable import GatePolicy

@Suite struct NoticeTemplateTests {
    static let cases = [
        ("", ""),
        ("plain", "plain"),
        ("Version {currentVersion} is old.", "Version 3.4.9 is old."),
        ("{minimumVersion}{latestVersion}", "3.5.0–"),
        ("{app} on {platform}, build {minimumBuild}", "Shop on ios, build 12"),
        ("{{currentVersion}}", "{currentVersion}"),
        ("{{{currentVersion}}}", "{3.4.9}"),
        ("{{}}", "{}"),
        ("バージョン{currentVersion}", "バージョン3.4.9"),
        ("e\u{301}{{\u{301}", "e\u{301}{\u{301}"),
    ]

    @Test(arguments: cases)
    func `placeholders are filled, and doubled braces are braces`(text: String, filled: String)
        throws
    {
        let values: [NoticePlaceholder: String] = [
            .currentVersion: "3.4.9", .minimumVersion: "3.5.0", .app: "Shop", .platform: "ios",
            .minimumBuild: "12",
        ]
        #expect(try NoticeTemplate(parsing: text).filled(with: values) == filled)
    }

    @Test func `a value is not parsed as a template`() throws {
        let template = try NoticeTemplate(parsing: "{app}")
        #expect(template.filled(with: [.app: "{platform}"]) == "{platform}")
    }

    static let known = [
        "currentVersion", "minimumVersion", "latestVersion", "minimumBuild", "latestBuild",
        "platform", "app",
    ]
    static let errors: [(String, NoticeTemplateError)] = [
        ("{version}", .unknownPlaceholder("version", known: known)),
        ("{ currentVersion }", .unknownPlaceholder(" currentVersion ", known: known)),
        ("{}", .unknownPlaceholder("", known: known)),
        ("{app", .unclosedBrace),
        ("a{", .unclosedBrace),
        ("app}", .strayBrace),
        ("{app}}", .strayBrace),
        ("{{{app}}", .strayBrace),
    ]

    @Test(arguments: errors)
    func `an invalid template is rejected with a reason`(text: String, error: NoticeTemplateError) {
        #expect(throws: error) { try NoticeTemplate(parsing: text) }
        #expect(!error.description.isEmpty)
    }

    @Test func `the error for an unknown placeholder lists the known ones`() {
        let error = NoticeTemplateError.unknownPlaceholder("x", known: ["app", "platform"])
        #expect(
            error.description == "unknown placeholder '{x}'; the placeholders are {app}, {platform}"
        )
    }
}
