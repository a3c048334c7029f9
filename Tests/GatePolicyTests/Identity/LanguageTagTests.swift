import Testing

@testable import GatePolicy

@Suite struct LanguageTagTests {
    static let canonical = [
        ("en", "en"), ("EN", "en"), ("pt-br", "pt-BR"), ("ZH-HANT-tw", "zh-Hant-TW"),
        ("de-1996", "de-1996"), ("es-419", "es-419"), ("sl-rozaj-biske", "sl-rozaj-biske"),
        ("en-a-AAA-x-PRIV", "en-a-aaa-x-priv"), ("x-Whatever", "x-whatever"),
        ("zh-Hant-x-TW", "zh-Hant-x-tw"), ("i-klingon", "i-klingon"), ("de-x-A", "de-x-a"),
    ]

    @Test(arguments: canonical)
    func `a tag is compared regardless of case and keeps the canonical case`(
        text: String,
        tag: String
    ) throws {
        #expect(try #require(LanguageTag(text)).description == tag)
        #expect(LanguageTag(text) == LanguageTag(text.uppercased()))
    }

    @Test(arguments: [
        "", "*", "-", "en-", "-en", "en--US", "en_US", "e1", "123", "abcdefghi", "en-abcdefghi",
        "日本", "en US", "en-x", "en;q=1", String(repeating: "en-US-", count: 12) + "en",
    ])
    func `a malformed tag is rejected`(text: String) {
        #expect(LanguageTag(text) == nil)
    }

    static let truncations = [
        ("zh-Hant-TW", ["zh-Hant", "zh"]),
        ("pt-BR", ["pt"]),
        ("en", []),
        (
            "zh-Hant-CN-x-private1-private2",
            ["zh-Hant-CN-x-private1", "zh-Hant-CN", "zh-Hant", "zh"]
        ),
        ("de-a-b-co", ["de"]),
        ("x-abc", []),
    ]

    @Test(arguments: truncations)
    func `a tag is truncated according to RFC 4647`(text: String, shorter: [String]) throws {
        let tags = sequence(first: try #require(LanguageTag(text)), next: \.truncated)
        #expect(tags.dropFirst().map(\.description) == shorter)
    }

    static let regions: [(String, String?)] = [
        ("en", nil), ("en-us", "US"), ("zh-Hant-tw", "TW"), ("es-419", "419"), ("de-1996", nil),
        ("zh-cmn-Hans-cn", "CN"), ("zh-yue-hk", "HK"), ("x-US", nil), ("i-us", nil),
        ("en-a-US", nil), ("en-x-US", nil), ("zh-Hant-x-TW", nil), ("sl-rozaj-IT", nil),
        ("de-Latn-DE-1996", "DE"), ("abcd-DE", "DE"), ("abcde-abc-DE", nil), ("en-41", nil),
        ("a-aaa-bbb-ccc-ddd-DE", nil), ("aa-bbb-ccc-ddd-DE", "DE"),
    ]

    @Test(arguments: regions)
    func `a region follows the language and the script`(
        text: String,
        region: String?
    ) throws {
        #expect(try #require(LanguageTag(text)).region == region)
    }
}
