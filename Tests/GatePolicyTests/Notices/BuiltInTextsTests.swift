import Testing

@testable import GatePolicy

@Suite struct BuiltInTextsTests {
    static let names = BuiltInTexts.all.map(\.language.description)

    @Test func `every language of the tables is parsed, without duplicates`() {
        let tables = [
            BuiltInTexts.westernEurope, BuiltInTexts.easternEurope, BuiltInTexts.asia,
        ]
        let blocks = tables.flatMap { $0.split(separator: "\n\n", omittingEmptySubsequences: true) }
        #expect(Self.names.count == blocks.count)
        #expect(Self.names.count == 55)
        #expect(Set(Self.names).count == Self.names.count)
    }

    @Test(arguments: BuiltInTexts.all)
    func `the built-in texts are not empty, and messages are sentences`(words: BuiltInTexts) {
        let messageLines: [BuiltInTexts.Line] = [
            .upgradeMessage, .unidentifiedMessage, .recommendedMessage, .cannotUpdateMessage,
            .maintenanceMessage,
        ]
        let messages = messageLines.map { words[$0] }
        let titles = BuiltInTexts.Line.allCases.filter { !messageLines.contains($0) }
            .map { words[$0] }
        let stops: Set<Character> = [".", "。", "।", "۔", "։", "។"]
        for text in titles + messages {
            #expect(text.first?.isWhitespace == false && text.last?.isWhitespace == false)
            #expect(!text.contains("  ") && !text.contains("{") && !text.contains("–"))
        }
        for title in titles {
            #expect(title.count <= 48 && title.last.map(stops.contains) == false, "\(title)")
        }
        // Thai has no full stop.
        let endsInStop = words.language.description != "th"
        for message in messages {
            #expect(message.last.map(stops.contains) == endsInStop, "\(message)")
        }
        #expect(Set(messages).count == messages.count)
    }

    static let fallbacks = [
        ("en", "en"), ("de", "de"), ("de-CH", "de"), ("zh-TW", "zh-Hant"), ("sw", "en"),
        ("pt", "pt-BR"),
    ]

    @Test(arguments: fallbacks)
    func `an unknown language gets the default language if that is built in`(
        fallback: String,
        language: String
    ) throws {
        var definition = RuleSetDefinition(revision: "r")
        definition.rules = [try rule("a", minimum: "2")]
        definition.defaultLanguage = try #require(LanguageTag(fallback))
        let rules = RuleSet(definition)
        let identity = try client(version: "1", languages: "sw")
        let answer = rules.answer(
            to: rules.decide(identity, in: rules.scope()),
            for: identity
        )
        let stated = answer?.fields.first { $0.name == "Content-Language" }?.value
        #expect(stated == language)
    }

    @Test func `clients differ only by languages that the texts have`() throws {
        let notices = try ResponderTests.notices()
        let told = ruleSet([try rule("a", minimum: "2", notice: "upgrade")], notices: notices)
        #expect(told.answerKey(languages: ["fr"]) == told.answerKey(languages: ["de"]))
        #expect(told.answerKey(languages: ["ja"]) != told.answerKey(languages: ["de"]))
        let own = ruleSet([try rule("a", minimum: "2")], notices: notices)
        #expect(own.answerKey(languages: ["fr"]) != own.answerKey(languages: ["de"]))
        let rejecting = ruleSet(
            [],
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .allow),
            notices: notices
        )
        #expect(rejecting.answerKey(languages: ["fr"]) != rejecting.answerKey(languages: ["de"]))
    }
}

extension BuiltInTexts: CustomTestStringConvertible {
    /// The tag of the language.
    public var testDescription: String { self.language.description }
}
