import Testing

@testable import GatePolicy

@Suite struct PercentEncodingTests {
    static let decoded = [
        ("", ""), ("a+b", "a+b"), ("a%20b", "a b"), ("%e6%97%A5", "日"), ("%", "%"), ("%4", "%4"),
        ("%zz%41", "%zzA"), ("%2541", "%41"), ("%ff", "\u{FFFD}"),
    ]

    @Test(arguments: decoded)
    func `valid triplets are decoded once`(text: String, decoded: String) {
        #expect(
            String(decoding: PercentEncoding.decodedBytes(Array(text.utf8)), as: UTF8.self)
                == decoded
        )
    }

    static let visible = [
        ("https://a.example/?x=1&y=%20", "https://a.example/?x=1&y=%20"),
        ("https://a.example/日 ", "https://a.example/%E6%97%A5%20"),
        ("a\r\n\u{7F}", "a%0D%0A%7F"),
    ]

    @Test(arguments: visible)
    func `a URL is encoded for use in a header field`(url: String, visible: String) {
        #expect(PercentEncoding.visible(url) == visible)
    }
}
