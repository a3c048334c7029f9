import Testing

@testable import GateRules

struct JSONPointerTests {
    /// The document from RFC 6901 section 5, and a list within an object.
    private static let document = #"""
        { "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6,
          " ": 7, "m~n": 8, "apps": [{ "min": "1.0" }, { "min": null }] }
        """#

    @Test(
        arguments: [
            ("/foo", #"["bar", "baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"),
            ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"),
            ("/ ", "7"),
            ("/m~0n", "8"), ("/apps/0/min", #""1.0""#), ("/apps/1/min", "null"),
            // Pointers without a value.
            ("/foo/2", nil), ("/foo/-", nil), ("/foo/00", nil), ("/foo/-1", nil), ("/bar", nil),
            ("/foo/0/x", nil), ("/apps/min", nil),
        ] as [(String, String?)]
    )
    func `a pointer resolves to a value`(pointer: String, value: String?) throws {
        let document = try JSONParser.parse(Array(Self.document.utf8))
        #expect(JSONPointer(parsing: pointer)?.value(in: document)?.compact == value)
    }

    @Test func `the empty pointer resolves to the document`() throws {
        let document = try JSONParser.parse(Array(Self.document.utf8))
        #expect(JSONPointer(parsing: "")?.value(in: document) == document)
    }

    @Test(arguments: ["foo", "foo/bar", "/a~", "/a~2", "/~", "#/a"])
    func `an invalid pointer is rejected`(text: String) {
        #expect(JSONPointer(parsing: text) == nil)
    }

    @Test(
        arguments: [
            (#"{"a":{"b":"x"}}"#, "a.b", .found(.text("x"))),
            (#"{"config":"{\"min\":\"4.1.0\"}"}"#, "config#/min", .found(.text("4.1.0"))),
            (#"{"config":"{\"ios\":{\"min\":\"4\"}}"}"#, "config#/ios/min", .found(.text("4"))),
            (#"{"a":{"config":" {\"on\": true} "}}"#, "a.config#/on", .found(.boolean(true))),
            // The value may be an object, which need not be parsed from a text.
            (#"{"config":{"min":"4.1.0"}}"#, "config#/min", .found(.text("4.1.0"))),
            (#"{"config":"[\"4\"]"}"#, "config#/0", .found(.text("4"))),
            (#"{"config":"{\"max\":1}"}"#, "config#/min", .absent),
            (#"{"config":"{\"min\":null}"}"#, "config#/min", .absent),
            (#"{"config":""}"#, "config#/min", .absent),
            (#"{"config":"  "}"#, "config#/min", .absent),
            (#"{"config":null}"#, "config#/min", .absent), (#"{}"#, "config#/min", .absent),
            (#"{"config":"4.1.0"}"#, "config#/min", nil), (#"{"config":"{"}"#, "config#/min", nil),
            (#"{"config":"{\"min\":1,\"min\":2}"}"#, "config#/min", nil),
        ] as [(String, String, JSONValue.Lookup?)]
    )
    func `a path can continue in JSON within a text`(
        text: String,
        path: String,
        expected: JSONValue.Lookup?
    ) throws {
        let lookup = try JSONParser.parse(Array(text.utf8)).lookup(path)
        if let expected {
            #expect(lookup == expected)
        } else {
            guard case .broken = lookup else {
                Issue.record("\(lookup)")
                return
            }
        }
    }
}
