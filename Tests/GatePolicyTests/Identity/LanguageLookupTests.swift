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
        ("zh-TW", "zh-Hant"),
        ("zh-HK", "zh-Hant"),
        ("zh-CN", "zh"),
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
    func `a client gets the best match of the available languages`(
        field: String,
        language: String
    ) {
        let lookup = LanguageLookup(
            available: Self.available.compactMap { LanguageTag($0) },
            fallback: .english
        )
        #expect(lookup.best(for: LanguageRange.list(parsing: [field]))?.description == language)
    }

    /// Available languages, requested languages and the result; the fallback is English.
    static let otherForms = [
        ("he", "iw-IL", "he"), ("iw", "he-IL", "iw"), ("id", "in", "id"), ("in", "id-ID", "in"),
        ("ro", "mo", "ro"), ("fil", "tl-PH", "fil"), ("tl", "fil", "tl"), ("nb", "no-NO", "nb"),
        ("no nb", "nb-NO", "nb"), ("no", "nb-NO", "no"), ("nb", "nn-NO", "nb"),
        ("no nb", "nn", "no"), ("ku-Latn", "kmr-TR", "ku-Latn"),
        ("nn nb", "nn-NO", "nn"),
        ("zh-Hans zh-Hant", "zh", "zh-Hans"), ("zh-Hans zh-Hant", "zh-SG", "zh-Hans"),
        ("zh-Hans zh-Hant", "zh-Hant-HK", "zh-Hant"), ("zh-CN zh-TW", "zh-Hant-HK", "zh-TW"),
        ("zh-CN zh-HK zh-TW", "zh-MO", "zh-HK"), ("zh-CN zh-TW", "zh-Hans-SG", "zh-CN"),
        ("zh-CN", "zh-TW", "en"), ("zh-Hant", "zh-CN", "en"), ("zh-Hans zh-Hant", "yue", "zh-Hant"),
        ("zh-Hans zh-Hant", "yue-CN", "zh-Hans"), ("zh-Hans zh-Hant", "yue-Hans", "zh-Hans"),
        ("pt-BR pt-PT", "pt", "pt-BR"), ("pt-BR pt-PT", "pt-AO", "pt-PT"),
        ("pt pt-BR", "pt-MZ", "pt"), ("pt-BR", "pt-PT", "en"),
        ("sr sr-Latn", "sr-ME", "sr-Latn"), ("sr sr-Latn", "sr-RS", "sr"),
        ("sr sr-Latn", "sr-Cyrl-ME", "sr"), ("sr sr-Latn", "sr-Latn-RS", "sr-Latn"),
        ("sr-Latn", "sh", "sr-Latn"), ("ckb ku-Latn", "ku", "ku-Latn"),
        ("ckb ku-Latn", "ku-IQ", "ckb"), ("ckb ku-Latn", "ku-Arab-TR", "ckb"),
        ("ku", "ku-TR", "ku"),
        ("he", "iw;q=0.5, en", "en"), ("he", "he;q=0, iw", "en"),
    ]

    @Test(arguments: otherForms)
    func `a language is found by its alias and by the script of the region`(
        available: String,
        field: String,
        language: String
    ) {
        let tags = (available + " en").split(separator: " ").compactMap { LanguageTag(String($0)) }
        let lookup = LanguageLookup(available: tags, fallback: .english)
        #expect(lookup.best(for: LanguageRange.list(parsing: [field]))?.description == language)
    }

    @Test func `without the fallback language, the first available one is used`() {
        let tags = ["ko", "ja"].compactMap { LanguageTag($0) }
        #expect(
            LanguageLookup(available: tags, fallback: .english).best(for: []) == LanguageTag("ja")
        )
        #expect(LanguageLookup(available: [], fallback: .english).best(for: []) == nil)
    }
}
