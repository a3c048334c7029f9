import Testing

@testable import GatePolicy

@Suite struct LanguageLookupTests {
    static let available = ["en", "ja", "pt", "pt-BR", "zh-Hant", "zh", "de-CH"]

    static let cases = [
        ("", "en"),
        ("pt-BR", "pt-BR"),
        ("pt-PT", "pt"),
        ("PT-br", "pt-BR"),
        ("zh-Hant-TW", "zh-Hant"),
        ("zh-Hans-CN", "zh"),
        ("zh-TW", "zh"),
        ("zh-Hant-x-private", "zh-Hant"),
        ("ja-a-bb", "ja"),
        ("de", "en"),
        ("de-CH-1996", "de-CH"),
        ("fr, ja;q=0.5", "ja"),
        ("ja;q=0.5, pt;q=0.6", "pt"),
        ("ja, pt", "ja"),
        ("fr", "en"),
        ("*", "en"),
        ("*, ja", "ja"),
        ("fr, *;q=0.5", "en"),
        ("pt-BR;q=0, pt-BR-x-a", "pt"),
        ("pt;q=0, pt-BR", "pt-BR"),
        ("en;q=0", "en"),
        ("en;q=0, *", "de-CH"),
        ("en;q=0, ja;q=0.1", "ja"),
        ("*;q=0", "en"),
        ("*;q=0, ja;q=0.001", "ja"),
        ("!!, ja", "ja"),
        ("ja;q=x, pt", "pt"),
    ]

    @Test(arguments: cases)
    func `a client gets the best of the languages that there are`(
        field: String,
        language: String
    ) {
        let lookup = LanguageLookup(
            available: Self.available.compactMap { LanguageTag($0) },
            fallback: .english
        )
        #expect(lookup.best(for: LanguageRange.list(parsing: [field]))?.description == language)
    }

    @Test func `without the default language the first one stands in`() {
        let tags = ["ko", "ja"].compactMap { LanguageTag($0) }
        #expect(
            LanguageLookup(available: tags, fallback: .english).best(for: []) == LanguageTag("ja")
        )
        #expect(LanguageLookup(available: [], fallback: .english).best(for: []) == nil)
    }
}
