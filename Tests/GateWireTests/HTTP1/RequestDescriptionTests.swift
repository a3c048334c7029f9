import Testing
import WireSamples

@testable import GateWire

struct RequestDescriptionTests {
    private static let fields = RequestDescription.fields(method: "x-method", target: "x-target")

    private static func described(
        _ description: RequestDescription,
        _ lines: String...,
        target: String = "/decide"
    ) throws(DescriptionFault) -> (method: String, target: String, form: RequestTarget.Form) {
        guard let sample = try? RequestSample(wire(["GET \(target) HTTP/1.1", "Host: a"] + lines))
        else { throw .malformed("sample") }
        var head = sample.head
        try head.become(description, in: sample.bytes.span)
        return (
            sample.bytes.text(from: head.methodStart, to: head.methodEnd),
            sample.bytes.text(from: head.target.start, to: head.target.end), head.target.form
        )
    }

    @Test(
        arguments: [
            ("/a?b=c", "/a?b=c", .origin), ("*", "*", .asterisk), ("", "", .absolute),
            ("https://h:1/a?b", "/a?b", .absolute), ("http://h", "", .absolute),
        ] as [(String, String, RequestTarget.Form)]
    )
    func `fields describe a target in every form`(
        value: String,
        target: String,
        form: RequestTarget.Form
    ) throws {
        let (method, path, actual) = try Self.described(
            Self.fields,
            "X-Method: PUT",
            "X-Target: \(value)"
        )
        #expect((method, path) == ("PUT", target))
        #expect(actual == form)
    }

    @Test(arguments: [("/decide/a?b", "/a?b"), ("/decide", ""), ("/decide?q", "?q")])
    func `a target follows a prefix`(target: String, rest: String) throws {
        let (method, path, _) = try Self.described(.prefix(count: 7), target: target)
        #expect((method, path) == ("GET", rest))
    }

    @Test(
        arguments: [
            (["X-Target: /"], .missing("x-method")), (["X-Method: GET"], .missing("x-target")),
            (["X-Method: GET", "x-method: PUT", "X-Target: /"], .repeated("x-method")),
            (["X-Method: GET", "X-Target: /", "X-Target: /"], .repeated("x-target")),
            (["X-Method:", "X-Target: /"], .malformed("x-method")),
            (["X-Method: G T", "X-Target: /"], .malformed("x-method")),
            (["X-Method: GET", "X-Target: a"], .malformed("x-target")),
            (["X-Method: GET", "X-Target: /a b"], .malformed("x-target")),
            (["X-Method: GET", "X-Target: ftp://a/"], .malformed("x-target")),
        ] as [([String], DescriptionFault)]
    )
    func `anything else is a fault that names the field`(
        lines: [String],
        fault: DescriptionFault
    ) throws {
        let sample = try RequestSample(wire(["GET / HTTP/1.1", "Host: a"] + lines))
        var head = sample.head
        #expect(throws: fault) { try head.become(Self.fields, in: sample.bytes.span) }
    }

    @Test func `the framing of the message is not that of the described request`() throws {
        let lines = [
            "X-Method: POST", "X-Target: /", "Content-Length: 9", "Expect: 100-continue",
            "TE: trailers", "Max-Forwards: x", "X-App-Version: 1",
        ]
        let sample = try RequestSample(wire(["GET / HTTP/1.1", "Host: a"] + lines))
        var head = sample.head
        let announces = head.announcesBody(in: sample.bytes.span)
        #expect(announces)
        try head.become(Self.fields, in: sample.bytes.span)
        let facts = try RequestFacts(head, in: sample.bytes.span)
        #expect(facts.framing == .none)
        #expect(!facts.expectsContinue)
        #expect(facts.identityFields != 0)
        let announcesStill = head.announcesBody(in: sample.bytes.span)
        #expect(!announcesStill)
    }
}
