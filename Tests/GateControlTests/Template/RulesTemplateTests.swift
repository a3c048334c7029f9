import GatePolicy
import Testing

@testable import GateControl

/// The file that a new installation begins with.
struct RulesTemplateTests {
    /// Every choice of what is given, with words that YAML would read as something else.
    private static let combinations: [[String?]] = [nil, "com.example.shop", "1.0"].flatMap { app in
        [nil, "itms-apps://apps.apple.com/app/id1"].flatMap { ios in
            [nil, "https://play.google.com/store/apps/details?id=a#b"].flatMap { android in
                [nil, "en", "de", "ja", "ko", "no", "zh-hant"].map { [app, ios, android, $0] }
            }
        }
    }

    @Test(arguments: Self.combinations)
    func `a new file is loaded without a warning, its tests included`(given: [String?]) throws {
        let text = try RulesTemplate(
            appID: given[0],
            iosURL: given[1],
            androidURL: given[2],
            language: given[3]
        ).text
        let rules = try RulesFileLoader.load(sources: [("rules.yaml", text)])
        #expect(RulesFindings(rules, at: SystemClock.now()).all.isEmpty)
        #expect(rules.definition.tests.count == 4)
        let app = given[0] ?? "com.example.app"
        #expect(rules.definition.rules.allSatisfy { $0.match.apps == [app] })
        #expect(rules.definition.rules.map(\.id) == ["ios", "android"])
        for value in given.dropLast().compactMap(\.self) { #expect(text.contains("\"\(value)\"")) }
        let placeholders = text.split(separator: "\n").count { $0.hasSuffix("replace it") }
        #expect(placeholders == (given[0] == nil ? 2 : 0) + given[1...2].count { $0 == nil })
    }

    @Test func `what cannot stand in a rules file is refused`() {
        #expect(throws: RulesTemplateError.appID("a b")) { try RulesTemplate(appID: "a b") }
        #expect(throws: RulesTemplateError.language("e n")) { try RulesTemplate(language: "e n") }
        #expect(throws: RulesTemplateError.self) { try RulesTemplate(iosURL: "apps.apple.com") }
        #expect(throws: RulesTemplateError.self) { try RulesTemplate(androidURL: "http://a.b") }
    }
}
