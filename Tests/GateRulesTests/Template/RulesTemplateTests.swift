import GatePolicy
import GateSystem
import RulesTestSupport
import Testing

@testable import GateRules

/// The rules file of a new installation.
struct RulesTemplateTests {
    /// Every combination of arguments, with values that YAML could parse as another type.
    private static let combinations: [[String?]] = [nil, "com.example.shop", "1.0"].flatMap { app in
        [nil, "itms-apps://apps.apple.com/app/id1"].flatMap { ios in
            [nil, "https://play.google.com/store/apps/details?id=a#b"].flatMap { android in
                [nil, "en", "de", "ja", "ko", "no", "zh-hant"].map { [app, ios, android, $0] }
            }
        }
    }

    @Test(arguments: Self.combinations)
    func `a new file is loaded without warnings, and its tests pass`(given: [String?]) throws {
        let text = try RulesTemplate(
            appID: given[0],
            iosURL: given[1],
            androidURL: given[2],
            language: given[3]
        ).text
        #expect(text.hasPrefix("# yaml-language-server: $schema=./rules.schema.json\n"))
        let rules = try RulesFileLoader.load(sources: [("rules.yaml", text)])
        let findings = RulesFindings(rules, at: SystemClock.now()).all
        #expect(rules.definition.tests.count == 4)
        #expect(rules.definition.rules.map(\.id) == ["ios", "android"])
        for value in given[1...2].compactMap(\.self) { #expect(text.contains("\"\(value)\"")) }
        // The app's ID is part of its Google Play URL.
        let links = [given[1], given[2] ?? given[0]]
        let placeholders = text.split(separator: "\n").count { $0.hasSuffix("replace it") }
        #expect(placeholders == links.count { $0 == nil })
        // The only findings are about placeholders for store URLs, which must be replaced before production.
        #expect(findings.map(\.name) == links.filter { $0 == nil }.map { _ in .placeholderLink })
        #expect(findings.allSatisfy { $0.effect == .warns })
    }

    @Test(arguments: ["ios", "android"])
    func `an old build with the two documented header fields is denied`(platform: String) throws {
        let rules = RuleSet(try RulesFileLoader.load(sources: [("r.yaml", Self.text())]).definition)
        var claims = rules.noClaims
        claims.addHeader("x-app-platform", platform)
        claims.addHeader("x-app-version", "0.9.9")
        let decision = rules.decide(
            rules.identify(claims),
            in: .unrestricted,
            at: SystemClock.now(),
            address: nil
        )
        #expect(decision.kind == .require)
        #expect(decision.ruleID == platform)
    }

    private static func text() throws -> String {
        try RulesTemplate(appID: "com.example.shop").text
    }

    /// Typical first edits to a new file.
    @Test(arguments: [
        [("1.0.0\" # the oldest", "3.5.0\" # the oldest")],
        [("1.0.0\" # the oldest", "35.0.0\" # the oldest")],
        [("# recommended: \"1.0.0\"", "recommended: \"4.2.0\"")],
        [
            ("# recommended: \"1.0.0\"", "recommended: \"4.2.0\""),
            ("minimum: \"1.0.0", "minimum: \"4.0"),
        ],
        [("notice: upgrade", "notice: upgrade\n    blocked: [\"3.7.2\", \">=3.9.0 <3.9.4\"]")],
        [
            (
                "rules:\n",
                "rules:\n  - id: night\n    maintenance: { from: 2020-01-01T00:00:00Z, until: 2099-01-01T00:00:00Z }\n    accept: lockout\n"
            )
        ],
    ])
    func `the file's tests pass with a real floor`(edits: [(String, String)]) throws {
        var text = try Self.text()
        for (old, new) in edits {
            #expect(text.contains(old))
            text = text.replacing(old, with: new)
        }
        #expect(throws: Never.self) { try RulesFileLoader.load(sources: [("r.yaml", text)]) }
    }

    @Test func `the file's tests fail if a whole platform or every version is affected`() throws {
        for (old, new) in [
            ("platform: ios }\n", "platform: iso }\n"), ("minimum: \"1.0.0", "minimum: \"99990.0"),
        ] {
            let text = try Self.text().replacing(old, with: new)
            #expect(throws: RulesFileErrors.self) {
                try RulesFileLoader.load(sources: [("r.yaml", text)])
            }
        }
    }

    @Test func `an invalid argument is rejected`() {
        #expect(throws: RulesTemplateError.appID("a b")) { try RulesTemplate(appID: "a b") }
        #expect(throws: RulesTemplateError.language("e n")) { try RulesTemplate(language: "e n") }
        #expect(throws: RulesTemplateError.self) { try RulesTemplate(iosURL: "apps.apple.com") }
        #expect(throws: RulesTemplateError.self) { try RulesTemplate(androidURL: "http://a.b") }
    }
}
