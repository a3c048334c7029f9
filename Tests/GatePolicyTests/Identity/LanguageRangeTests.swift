import Testing

@testable import GatePolicy

@Suite struct LanguageRangeTests {
    static let cases: [([String], [String])] = [
        ([], []),
        ([""], []),
        (["en"], ["en 1000"]),
        (["pt-BR, pt;q=0.9, *;q=0.1"], ["pt-BR 1000", "pt 900", "* 100"]),
        (["a1, en"], ["en 1000"]),
        (["da, en-gb;q=0.8, en;q=0.7"], ["da 1000", "en-GB 800", "en 700"]),
        (["en;q=0.5,ja", "ko;q=0.7"], ["ja 1000", "ko 700", "en 500"]),
        (["fr, de, it"], ["fr 1000", "de 1000", "it 1000"]),
        (["de;q=0, en"], ["en 1000", "de 0"]),
        (["EN ; Q=0.25"], ["en 250"]),
        (["en;q=1.000, de;q=0.001, fr;q=1."], ["en 1000", "fr 1000", "de 1"]),
        (
            [
                "en;q=1.001, de;q=2, fr;q=-1, es;q=0.1234, it;q=, pt;x=1, ja;q=0.5;x=1, ko;q=.5,"
                    + "sv;q=a, nl;q=0,5, , ;q=1, zh_TW, no;q=0x1"
            ],
            ["nl 0"]
        ),
    ]

    @Test(arguments: cases)
    func `ranges are ordered by weight and then by position`(
        fields: [String],
        ranges: [String]
    ) {
        let parsed = LanguageRange.list(parsing: fields)
        #expect(parsed.map { "\($0.tag?.description ?? "*") \($0.weight)" } == ranges)
    }

    @Test func `the number of parsed items is limited`() {
        let field = String(repeating: "en,", count: 100_000) + "ja"
        #expect(LanguageRange.list(parsing: [field]).count == LanguageRange.maximumCount)
    }
}
