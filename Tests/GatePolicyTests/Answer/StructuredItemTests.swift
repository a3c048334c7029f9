import Testing

@testable import GatePolicy

@Suite struct StructuredItemTests {
    static let cases: [(String?, String)] = [
        (nil, "t"), ("", #"t; k="""#), ("4.2.0", #"t; k="4.2.0""#),
        (#"a"b\c"#, #"t; k="a\"b\\c""#), ("é", "t"), ("a\r\nX: y", "t"), ("a\u{7F}", "t"),
    ]

    @Test(arguments: cases)
    func `a string is escaped or left out`(value: String?, text: String) {
        var item = StructuredItem(token: "t")
        item.add("k", value)
        #expect(item.text == text)
    }
}
