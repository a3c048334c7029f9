import Foundation
import Testing

@testable import VersionGateClient

/// The parsing algorithm of RFC 9651, section 4.2.
struct StructuredFieldTests {
    typealias BareItem = StructuredField.BareItem

    struct Item: Sendable {
        var text: String
        var value: BareItem
    }

    @Test(arguments: [
        Item(text: "0", value: .integer(0)),
        Item(text: "-42", value: .integer(-42)),
        Item(text: "007", value: .integer(7)),
        Item(text: "999999999999999", value: .integer(999_999_999_999_999)),
        Item(text: "1.5", value: .decimal(1.5)),
        Item(text: "-123456789012.125", value: .decimal(-123_456_789_012.125)),
        Item(text: #""hello""#, value: .string("hello")),
        Item(text: #""""#, value: .string("")),
        Item(text: #""a \"b\" \\""#, value: .string(#"a "b" \"#)),
        Item(text: "require", value: .token("require")),
        Item(text: "*a/b:c", value: .token("*a/b:c")),
        Item(text: ":aGVsbG8=:", value: .bytes(Data("hello".utf8))),
        Item(text: ":aGVsbG8:", value: .bytes(Data("hello".utf8))),
        Item(text: "::", value: .bytes(Data())),
        Item(text: "?1", value: .boolean(true)),
        Item(text: "?0", value: .boolean(false)),
        Item(text: "@1797732000", value: .date(1_797_732_000)),
        Item(text: "@-1", value: .date(-1)),
        Item(text: #"%"f%c3%bc%c3%bc""#, value: .displayString("füü")),
        Item(text: "  a  ", value: .token("a")),
    ])
    func `a valid item is parsed`(_ item: Item) {
        let expected = StructuredField.Item(value: item.value, parameters: [:])
        #expect(StructuredField(item.text)?.members == [.item(expected)])
    }

    @Test(arguments: [
        "-", "--1", "1.", "1.1234", "1234567890123.1", "1234567890123456", ".5",
        #""open"#, #""a\b""#, "\"a\tb\"", "\"ü\"", "\"a\u{7F}\"",
        ":aGVsbG8", ":a b:", ":a:",
        "?", "?2", "@", "@1.5", "@x",
        #"%"%C3%BC""#, #"%"%c3""#, #"%"%f"#, "%a", #"%"a"#,
        "a,", ",a", "a,,b", "a b", "a;", "a; =1", "a;B=1", "a;b=", "a;b= 1", "a ;b=1 c",
        "(a", "(a;b", "(a(b))", "(a,b)", "{}", "\u{1}", "ü", "a\tb", "\ta",
    ])
    func `an invalid item makes the whole field invalid`(_ text: String) {
        #expect(StructuredField(text) == nil)
    }

    @Test
    func `parameters and lists are parsed, and the last of several equal names counts`() throws {
        let text = #"recommend; latest="4.2.0";url="a,b;c";x , b;y=?0;y ,\#t(c d;z=1);w"#
        let field = try #require(StructuredField(text))
        let values = field.tokens
        #expect(values.map(\.token) == ["recommend", "b"])
        #expect(
            values[0].parameters
                == ["latest": .string("4.2.0"), "url": .string("a,b;c"), "x": .boolean(true)]
        )
        #expect(values[1].parameters == ["y": .boolean(true)])
        let inner = [
            StructuredField.Item(value: .token("c"), parameters: [:]),
            StructuredField.Item(value: .token("d"), parameters: ["z": .integer(1)]),
        ]
        #expect(field.members.last == .inner(inner, parameters: ["w": .boolean(true)]))
    }

    @Test(arguments: ["", "   "])
    func `an empty field is an empty list`(_ text: String) {
        #expect(StructuredField(text)?.members.isEmpty == true)
    }
}
