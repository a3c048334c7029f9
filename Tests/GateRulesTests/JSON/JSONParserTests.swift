import Foundation
import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

@Suite(.ownThread)
struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONParser.parse(Array(text.utf8))
    }

    @Test(arguments: [
        ("null", JSONValue.null), (" true ", .boolean(true)), ("false", .boolean(false)),
        ("1.10", .number("1.10")), ("-0", .number("-0")), ("1E+400", .number("1E+400")),
        ("\u{FEFF}{}", .object([])), ("\n\n\n[ ]\n", .list([])),
        (#""a\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00é""#, .text("a\"\\/\u{8}\u{C}\n\r\tAé😀é")),
        (
            #"{"a":[1,{"b":null}],"A":""}"#,
            .object([
                .init("a", .list([.number("1"), .object([.init("b", .null)])])),
                .init("A", .text("")),
            ])
        ),
    ])
    func `values are parsed without conversion`(text: String, value: JSONValue) throws {
        #expect(try self.parse(text) == value)
    }

    @Test(arguments: [
        ("", 1, 1), ("{", 1, 2), ("[1,", 1, 4), ("[1 2]", 1, 4), ("{\"a\"}", 1, 5),
        ("{\"a\":1,}", 1, 8), ("[1,]", 1, 4), ("{a:1}", 1, 2), ("{'a':1}", 1, 2), ("01", 1, 1),
        ("1.", 1, 1), (".5", 1, 1), ("+1", 1, 1), ("0x1", 1, 2), ("NaN", 1, 1), ("nul", 1, 4),
        ("True", 1, 1), ("[]]", 1, 3), ("{}\n{}", 2, 1), ("\"a\nb\"", 1, 4), ("\"\\x\"", 1, 3),
        ("\"\\u12\"", 1, 3), ("\"\\uD83D\"", 1, 7), ("\"\\uDE00\"", 1, 7),
        ("\"\\uD83D\\u0041\"", 1, 13), ("\"\\u+123\"", 1, 3),
        ("{\"a\":1,\n \"é\":1, \"a\":2}", 2, 12), ("<html>", 1, 1), ("# yaml\na: 1", 1, 1),
    ])
    func `invalid JSON is rejected with its location`(text: String, line: Int, column: Int) {
        let failure = #expect(throws: JSONParser.Failure.self) { try self.parse(text) }
        #expect([failure?.line, failure?.column] == [line, column], "\(failure?.message ?? "")")
    }

    /// Every production of RFC 8259 section 6, and similar invalid texts.
    @Test(arguments: [
        ("0", true), ("-0", true), ("7", true), ("1234567890", true), ("-12", true), ("0.0", true),
        ("10.010", true), ("1e1", true), ("1E+01", true), ("1e-0", true), ("-0.5e12", true),
        ("00", false), ("-01", false), ("-", false), ("+1", false), ("1.", false), (".1", false),
        ("1.e1", false), ("1e", false), ("1e+", false), ("1e+-1", false), ("1.2.3", false),
        ("1e1.5", false), ("1e1e1", false), ("1-1", false), ("--1", false), ("0e", false),
        ("1+1", false), ("0.1.", false), ("Infinity", false),
    ])
    func `a number follows JSON's grammar`(text: String, isNumber: Bool) {
        let value = try? self.parse(text)
        #expect(value == (isNumber ? .number(text) : nil))
        let list = try? self.parse("[\(text),\(text)]")
        #expect(list == (isNumber ? .list([.number(text), .number(text)]) : nil))
    }

    @Test func `invalid UTF-8 is rejected`() {
        #expect(throws: JSONParser.Failure.self) {
            try JSONParser.parse([0x22, 0xFF, 0x22])
        }
    }

    @Test func `the depth and the number of values are limited`() {
        for text in [
            String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
            "[" + String(repeating: "1,", count: 100_000) + "1]",
        ] {
            #expect(throws: JSONParser.Failure.self) { try self.parse(text) }
        }
        let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
        #expect(throws: Never.self) { try self.parse(deep) }
    }

    @Test func `rendered JSON is parsed as the same value, even as a rules file`() throws {
        let text = #"{"a":["\u0000\u001f\u0085\u2028\ufeff\"\\😀",1.10,true,null,{}],"b":{"c":[]}}"#
        let value = try self.parse(text)
        let long = JSONValue.object([
            .init("x", value), .init("y", .list([value, value])), .init("z", .text("*a: &b # c")),
        ])
        for value in [value, long] {
            #expect(try self.parse(value.rendered) == value)
            #expect(try self.parse(value.compact) == value)
            let data = Data(value.rendered.utf8)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: data) }
        }
        let document = JSONValue.object([
            .init("rules", .list([])),
            .init(
                "notices",
                .object([
                    .init(
                        "n",
                        .object([
                            .init(
                                "en",
                                .object([
                                    .init(
                                        "title",
                                        .text("*a \u{85}\u{2028}\u{7F}\u{FEFF} \"x\" {{")
                                    ),
                                    .init("message", .text(String(repeating: "長い\n", count: 50))),
                                ])
                            )
                        ])
                    )
                ])
            ),
        ])
        let loaded = try RulesFileLoader.load(sources: [("feed", document.rendered)])
        #expect(loaded.definition.notices.keys.sorted() == ["n"])
    }
}
