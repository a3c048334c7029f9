import Testing
import WireSamples

@testable import GateWire

struct RequestHeadParserTests {
    struct Good: Sendable {
        var text: String
        var method = "GET"
        var form = RequestTarget.Form.origin
        var target = "/"
        var authority = ""
        var minorVersion = 1
        var fields: [TextField] = [TextField(name: "Host", value: "a")]
    }

    static let good: [Good] = [
        Good(text: wire("GET / HTTP/1.1", "Host: a")),
        Good(text: "\r\n\r\n" + wire("GET / HTTP/1.1", "Host: a")),
        Good(text: wire("GET / HTTP/1.0", "Host: a"), minorVersion: 0),
        Good(text: wire("GET / HTTP/1.0"), minorVersion: 0, fields: []),
        Good(text: wire("GET / HTTP/1.2", "Host: a"), minorVersion: 1),
        Good(text: wire("GET / HTTP/1.9", "Host: a"), minorVersion: 1),
        Good(text: wire("get / HTTP/1.1", "Host: a"), method: "get"),
        Good(
            text: wire("!#$%&'*+-.^_`|~09azAZ / HTTP/1.1", "Host: a"),
            method: "!#$%&'*+-.^_`|~09azAZ"
        ),
        Good(
            text: wire("POST /a/%2e?b=\"<>{}|\\^`[]@ HTTP/1.1", "Host: a"),
            method: "POST",
            target: "/a/%2e?b=\"<>{}|\\^`[]@"
        ),
        Good(text: wire("GET //a//b?? HTTP/1.1", "Host: a"), target: "//a//b??"),
        Good(
            text: wire("OPTIONS * HTTP/1.1", "Host: a"),
            method: "OPTIONS",
            form: .asterisk,
            target: "*"
        ),
        Good(
            text: wire("GET http://b:80/c?d HTTP/1.1", "Host: a"),
            form: .absolute,
            target: "/c?d",
            authority: "b:80"
        ),
        Good(
            text: wire("GET HTTPS://[::1] HTTP/1.1", "Host: a"),
            form: .absolute,
            target: "",
            authority: "[::1]"
        ),
        Good(
            text: wire("GET http://b?c HTTP/1.1", "Host: a"),
            form: .absolute,
            target: "?c",
            authority: "b"
        ),
        Good(
            text: wire(
                "GET / HTTP/1.1",
                "Host:a",
                "B:",
                "C: \t ",
                "D:\t d e\tf \t",
                "!#$%&'*+-.^_`|~1: x"
            ),
            fields: [
                TextField(name: "Host", value: "a"), TextField(name: "B", value: ""),
                TextField(name: "C", value: ""), TextField(name: "D", value: "d e\tf"),
                TextField(name: "!#$%&'*+-.^_`|~1", value: "x"),
            ]
        ),
        Good(
            text: wire("GET / HTTP/1.1", "Host: a", "Name: é:\"=;,", "name: again"),
            fields: [
                TextField(name: "Host", value: "a"), TextField(name: "Name", value: "é:\"=;,"),
                TextField(name: "name", value: "again"),
            ]
        ),
    ]

    @Test(arguments: Self.good)
    func `a valid head is parsed into its parts`(_ sample: Good) throws {
        let read = try RequestSample(sample.text)
        #expect(read.method == sample.method)
        #expect(read.head.target.form == sample.form)
        #expect(read.target == sample.target)
        #expect(read.authority == sample.authority)
        #expect(read.head.minorVersion == sample.minorVersion)
        #expect(read.fields == sample.fields)
        #expect(read.head.end == read.bytes.count)
    }

    @Test(arguments: Self.good)
    func `a valid head is parsed byte by byte with the same result`(_ sample: Good) throws {
        let whole = try RequestSample(sample.text)
        var parser = RequestHeadParser()
        for end in 0..<whole.bytes.count {
            let progress = parser.parse(Array(whole.bytes[..<end]), table: RequestSample.table)
            try #require(progress == .incomplete)
        }
        #expect(parser.parse(whole.bytes, table: RequestSample.table) == .complete)
        #expect(parser.head == whole.head)
    }

    @Test(arguments: Self.good)
    func `a valid head is parsed with the same result, wherever it is split`(_ sample: Good) throws
    {
        let whole = try RequestSample(sample.text)
        for split in 1..<whole.bytes.count {
            var parser = RequestHeadParser()
            let progress = parser.parse(whole.bytes, endingAt: [split, whole.bytes.count])
            try #require(progress == .complete && parser.head == whole.head, "split at \(split)")
        }
    }

    @Test(arguments: Self.good)
    func `bytes after a head do not change it`(_ sample: Good) throws {
        let whole = try RequestSample(sample.text)
        let followed = try RequestSample(sample.text + "\n\r\u{0} garbage\r\n\r\n")
        #expect(followed.head == whole.head)
    }

    static let bad: [(String, MessageFault)] = [
        ("GET / HTTP/1.1\nHost: a\r\n\r\n", .lineEnd),
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", .lineEnd),
        ("GET / HTTP/1.1\r\nHost: a\r\n\n", .lineEnd),
        ("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", .lineEnd),
        ("GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", .version),
        (wire(" GET / HTTP/1.1"), .method),
        (wire("G(T / HTTP/1.1"), .method),
        (wire("G\u{0}T / HTTP/1.1"), .method),
        (wire("GÉT / HTTP/1.1"), .method),
        (wire("GET\t/ HTTP/1.1"), .method),
        (wire("GET"), .method),
        (wire("GET  / HTTP/1.1"), .target),
        (wire("GET "), .target),
        (wire("GET  HTTP/1.1"), .target),
        (wire("GET /"), .version),
        (wire("GET / "), .version),
        (wire("GET /a b HTTP/1.1"), .version),
        (wire("GET /\ta HTTP/1.1"), .target),
        (wire("GET /a#b HTTP/1.1"), .target),
        (wire("GET /\u{7F} HTTP/1.1"), .target),
        (wire("GET /é HTTP/1.1"), .target),
        (wire("GET /\r HTTP/1.1"), .target),
        (wire("GET a HTTP/1.1"), .target),
        (wire("GET a:80 HTTP/1.1"), .target),
        (wire("GET * HTTP/1.1"), .target),
        (wire("OPTIONS ** HTTP/1.1"), .target),
        (wire("GET ftp://a/ HTTP/1.1"), .target),
        (wire("GET http:/a HTTP/1.1"), .target),
        (wire("GET http:// HTTP/1.1"), .target),
        (wire("GET http:///a HTTP/1.1"), .target),
        (wire("GET http://:80/ HTTP/1.1"), .target),
        (wire("GET http://u@a/ HTTP/1.1"), .target),
        (wire("GET http://a:b/ HTTP/1.1"), .target),
        (wire("GET http://a,b/ HTTP/1.1"), .target),
        (wire("GET http://[::1/ HTTP/1.1"), .target),
        (wire("GET / HTTP/1.1 "), .version),
        (wire("GET /  HTTP/1.1"), .version),
        (wire("GET / http/1.1"), .version),
        (wire("GET / HTTP/1"), .version),
        (wire("GET / HTTP/1.10"), .version),
        (wire("GET / HTTP/1,1"), .version),
        (wire("GET / HTTP/a.1"), .version),
        (wire("GET / HTTP/1.a"), .version),
        (wire("GET / ICE/1.0"), .version),
        (wire("GET / HTTP/0.9"), .unsupportedVersion),
        (wire("GET / HTTP/2.0"), .unsupportedVersion),
        (wire("PRI * HTTP/2.0", "", "SM"), .unsupportedVersion),
        (wire("CONNECT a:443 HTTP/1.1"), .unsupportedMethod),
        (wire("CONNECT http://a/ HTTP/1.1"), .unsupportedMethod),
        (wire("CONNECT / HTTP/1.1", "Host: a"), .unsupportedMethod),
        (wire("CONNECT * HTTP/1.1", "Host: a"), .unsupportedMethod),
        (wire("GET / HTTP/1.1", "Host"), .fieldName),
        (wire("GET / HTTP/1.1", ": a"), .fieldName),
        (wire("GET / HTTP/1.1", "Host : a"), .fieldName),
        (wire("GET / HTTP/1.1", "Host\t: a"), .fieldName),
        (wire("GET / HTTP/1.1", "Ho st: a"), .fieldName),
        (wire("GET / HTTP/1.1", "Ho\u{0}st: a"), .fieldName),
        (wire("GET / HTTP/1.1", "Hôst: a"), .fieldName),
        (wire("GET / HTTP/1.1", "(Host): a"), .fieldName),
        (wire("GET / HTTP/1.1", " Host: a"), .foldedField),
        (wire("GET / HTTP/1.1", "Host: a", " b"), .foldedField),
        (wire("GET / HTTP/1.1", "Host: a", "\tb"), .foldedField),
        (wire("GET / HTTP/1.1", "Host: a", " "), .foldedField),
        (wire("GET / HTTP/1.1", "Host: a\u{0}"), .fieldValue),
        (wire("GET / HTTP/1.1", "Host: a\u{7F}b"), .fieldValue),
        (wire("GET / HTTP/1.1", "Host: a\u{B}"), .fieldValue),
        (wire("GET / HTTP/1.1", "A: b\rc"), .fieldValue),
        (wire("GET / HTTP/1.1", "A: b\r"), .fieldValue),
    ]

    @Test(arguments: Self.bad)
    func `a malformed head is rejected`(_ text: String, _ fault: MessageFault) {
        var parser = RequestHeadParser()
        #expect(parser.parse(Array(text.utf8), table: RequestSample.table) == .malformed(fault))
    }

    @Test(arguments: Self.bad)
    func `a malformed head is rejected byte by byte`(_ text: String, _: MessageFault) {
        let bytes = Array(text.utf8)
        var parser = RequestHeadParser()
        guard case .malformed = parser.parse(bytes, endingAt: 0...bytes.count) else {
            Issue.record("accepted")
            return
        }
    }

    @Test(arguments: Self.bad)
    func `a malformed head is rejected, wherever it is split`(_ text: String, _: MessageFault)
        throws
    {
        let bytes = Array(text.utf8)
        for split in 1..<bytes.count {
            var parser = RequestHeadParser()
            let progress = parser.parse(bytes, endingAt: [split, bytes.count])
            guard case .malformed = progress else {
                Issue.record("\(progress) when split at \(split)")
                continue
            }
        }
    }

    @Test(
        arguments: [
            ("GET / HTTP/1.1\n", .lineEnd),
            ("GET / HTTP/1.1\rH", .lineEnd),
            ("G\rE", .lineEnd),
            ("GET / HTTP/1.1\r\nA: b\rc", .lineEnd),
            ("GET / HTTP/1.1\r\nA: b\r\r", .lineEnd),
            ("GET / HTTP/1.1\r\n\n", .lineEnd),
            ("GET / HTTP/2.0\r\n", .unsupportedVersion),
            ("GET / HTTP/1.1\r\nA b\r\n", .fieldName),
        ] as [(String, MessageFault)]
    )
    func `a malformed head is rejected before its end`(
        _ beginning: String,
        _ fault: MessageFault
    ) {
        let bytes = Array(beginning.utf8)
        var whole = RequestHeadParser()
        #expect(whole.parse(bytes, table: RequestSample.table) == .malformed(fault))
        var pieces = RequestHeadParser()
        #expect(pieces.parse(bytes, endingAt: 0...bytes.count) == .malformed(fault))
    }

    @Test func `a head contains the roles of its fields`() throws {
        let read = try RequestSample(
            wire("GET / HTTP/1.1", "HOST: a", "x-app-VERSION: 1", "Other: b", "TE: trailers")
        )
        #expect(read.head.fields.lines.map(\.role) == [.host, .identity(1), .other, .te])
    }

    @Test func `a reset parser parses the next head like a new one`() throws {
        let first = Array(
            wire("OPTIONS http://other:1/long?query HTTP/1.0", "A: 1", "B: 2", "C: 3").utf8
        )
        var parser = RequestHeadParser()
        #expect(parser.parse(first, table: RequestSample.table) == .complete)
        for sample in Self.good {
            let whole = try RequestSample(sample.text)
            parser.reset()
            #expect(parser.parse(whole.bytes, table: RequestSample.table) == .complete)
            #expect(parser.head == whole.head)
        }
    }

    @Test func `a taken head leaves no state, and its memory is reused`()
        throws
    {
        let fields = (0..<16).map { "F\($0): \($0)" }
        let large = try RequestSample(wire(["GET / HTTP/1.1", "Host: a"] + fields))
        var parser = RequestHeadParser()
        #expect(parser.parse(large.bytes, table: RequestSample.table) == .complete)
        let place = Self.place(of: parser.head)
        for sample in Self.good {
            let whole = try RequestSample(sample.text)
            parser.reset()
            #expect(parser.parse(whole.bytes, table: RequestSample.table) == .complete)
            #expect(Self.place(of: parser.head) == place)
            let head = parser.takeHead()
            #expect(head == whole.head)
            #expect(parser.head == RequestHead())
            parser.reuse(head)
        }
    }

    /// Returns the address of the memory for a head's lines.
    private static func place(of head: RequestHead) -> UInt {
        unsafe head.fields.lines.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    @Test func `a parser that is reset within a head starts again`() throws {
        let whole = try RequestSample(wire("GET /a HTTP/1.1", "Host: a", "B: c"))
        for end in 1..<whole.bytes.count {
            var parser = RequestHeadParser()
            _ = parser.parse(Array(whole.bytes[..<end]), table: RequestSample.table)
            parser.reset()
            #expect(parser.parse(whole.bytes, table: RequestSample.table) == .complete)
            #expect(parser.head == whole.head)
        }
    }
}
