import Testing

@testable import GatePolicy

@Suite struct ExcerptTests {
    static let cases = [
        ("1.x", "1.x"),
        ("", ""),
        ("a\r\nb\u{1B}[31m", "a\u{FFFD}\u{FFFD}b\u{FFFD}[31m"),
        ("\u{202E}abc\u{2028}", "\u{FFFD}abc\u{FFFD}"),
        ("日本", "日本"),
        (String(repeating: "a", count: 64), String(repeating: "a", count: 64)),
        (String(repeating: "a", count: 65), String(repeating: "a", count: 64) + "…"),
    ]

    @Test(arguments: cases)
    func `an excerpt is short and safe for logs`(raw: String, text: String) {
        #expect(Excerpt(raw).text == text)
    }
}
