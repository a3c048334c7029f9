import Testing

@testable import GatePolicy

@Suite struct JSONObjectTests {
    static let strings = [
        ("", #""""#),
        ("plain / text", #""plain / text""#),
        (#"say "hi" \o/"#, #""say \"hi\" \\o/""#),
        ("\u{08}\t\n\u{0C}\r", #""\b\t\n\f\r""#),
        ("\u{0}\u{1F}\u{7F}", "\"\\u0000\\u001f\u{7F}\""),
        ("アップデート 😀 \u{2028}", "\"アップデート 😀 \u{2028}\""),
    ]

    @Test(arguments: strings)
    func `a string is escaped only where JSON requires it`(text: String, json: String) {
        var object = JSONObject()
        object.add("k", text)
        #expect(String(decoding: object.bytes, as: UTF8.self) == "{\"k\":\(json)}")
    }

    @Test func `members keep their order, and absent ones are omitted`() {
        var object = JSONObject()
        object.add("b", "1")
        object.add("none", nil as String?)
        object.add("a", UInt64.max)
        object.add("nothing", nil as Int?)
        #expect(
            String(decoding: object.bytes, as: UTF8.self) == #"{"b":"1","a":18446744073709551615}"#
        )
        #expect(JSONObject().bytes == Array("{}".utf8))
    }

    @Test func `a member can be added as encoded JSON`() {
        var inner = JSONObject()
        inner.add("a", "\"")
        var object = JSONObject()
        object.add("i", json: inner.bytes)
        object.add("l", json: Array("[]".utf8))
        #expect(String(decoding: object.bytes, as: UTF8.self) == #"{"i":{"a":"\""},"l":[]}"#)
    }
}
