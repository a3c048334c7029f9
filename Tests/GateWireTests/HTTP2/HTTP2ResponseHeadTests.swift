import NIOCore
import Testing
import WireSamples

@testable import GateWire

struct HTTP2ResponseHeadTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fields: [(String, String)]
        var endsStream = false
        var answersHead = false
        var written: String
        var content: HTTP2ResponseHead.Content
    }

    static let cases = [
        Case(
            testDescription: "a length",
            fields: [(":status", "200"), ("content-length", "5"), ("a", "b")],
            written: wire("HTTP/1.1 200 OK", "content-length: 5", "a: b"),
            content: .length(5)
        ),
        Case(
            testDescription: "no length",
            fields: [(":status", "404")],
            written: wire("HTTP/1.1 404 Not Found", "transfer-encoding: chunked"),
            content: .any
        ),
        Case(
            testDescription: "nothing follows",
            fields: [(":status", "200")],
            endsStream: true,
            written: wire("HTTP/1.1 200 OK", "content-length: 0"),
            content: .none
        ),
        Case(
            testDescription: "nothing follows, as announced",
            fields: [(":status", "200"), ("content-length", "0")],
            endsStream: true,
            written: wire("HTTP/1.1 200 OK", "content-length: 0"),
            content: .none
        ),
        Case(
            testDescription: "a length of nothing, and an end to come",
            fields: [(":status", "200"), ("content-length", "0")],
            written: wire("HTTP/1.1 200 OK", "content-length: 0"),
            content: .length(0)
        ),
        Case(
            testDescription: "an answer to HEAD",
            fields: [(":status", "200"), ("content-length", "5")],
            endsStream: true,
            answersHead: true,
            written: wire("HTTP/1.1 200 OK", "content-length: 5"),
            content: .none
        ),
        Case(
            testDescription: "304",
            fields: [(":status", "304"), ("content-length", "5")],
            endsStream: true,
            written: wire("HTTP/1.1 304 Not Modified", "content-length: 5"),
            content: .none
        ),
        Case(
            testDescription: "interim",
            fields: [(":status", "103"), ("link", "</a>")],
            written: wire("HTTP/1.1 103 Early Hints", "link: </a>"),
            content: .none
        ),
        Case(
            testDescription: "a status without a name",
            fields: [(":status", "299"), ("content-length", "1")],
            written: wire("HTTP/1.1 299 ", "content-length: 1"),
            content: .length(1)
        ),
        Case(
            testDescription: "several of a name, empty values",
            fields: [(":status", "204"), ("set-cookie", "a=1"), ("set-cookie", "b=2"), ("x", "")],
            endsStream: true,
            written: wire("HTTP/1.1 204 No Content", "set-cookie: a=1", "set-cookie: b=2", "x: "),
            content: .none
        ),
    ]

    @Test(arguments: Self.cases)
    func `a head becomes one of HTTP/1.1`(_ example: Case) throws {
        var out = ByteBuffer()
        let head = try HTTP2ResponseHead.write(
            HeaderList(example.fields),
            endsStream: example.endsStream,
            answersHead: example.answersHead,
            into: &out
        )
        #expect(head.content == example.content)
        #expect(String(buffer: out) == example.written)
        let read = try ResponseSample(example.written)
        #expect(read.head.status == head.status)
        // The strict parser agrees on what follows.
        let framing = try read.facts(answersHead: example.answersHead).framing
        switch head.content {
        case .none, .length(0): #expect(framing == .none)
        case .length(let length): #expect(framing == .length(length))
        case .any: #expect(framing == .chunked)
        }
    }

    @Test(
        arguments: [
            ([], false, MessageFault.http2),
            ([("a", "b"), (":status", "200")], false, .http2),
            ([(":status", "200"), (":status", "200")], false, .http2),
            ([(":status", "200"), (":path", "/")], false, .http2),
            ([(":status", "1000")], false, .status),
            ([(":status", "099")], false, .status),
            ([(":status", "2 0")], false, .status),
            ([(":status", "101")], false, .http2),
            ([(":status", "100")], true, .http2),
            ([(":status", "200"), ("A", "b")], false, .http2),
            ([(":status", "200"), ("", "b")], false, .http2),
            ([(":status", "200"), ("a b", "c")], false, .http2),
            ([(":status", "200"), ("a", "b\nc")], false, .http2),
            ([(":status", "200"), ("a", " b")], false, .http2),
            ([(":status", "200"), ("connection", "close")], false, .http2),
            ([(":status", "200"), ("transfer-encoding", "chunked")], false, .http2),
            ([(":status", "200"), ("content-length", "")], false, .contentLength),
            ([(":status", "200"), ("content-length", "+1")], false, .contentLength),
            (
                [(":status", "200"), ("content-length", "1"), ("content-length", "1")], false,
                .contentLength
            ),
            ([(":status", "200"), ("content-length", "1")], true, .contentLength),
        ] as [([(String, String)], Bool, MessageFault)]
    )
    func `what is malformed is refused`(
        _ fields: [(String, String)],
        _ endsStream: Bool,
        _ fault: MessageFault
    ) {
        #expect(throws: fault) {
            var out = ByteBuffer()
            _ = try HTTP2ResponseHead.write(
                HeaderList(fields),
                endsStream: endsStream,
                answersHead: false,
                into: &out
            )
        }
    }
}

extension HeaderList {
    init(_ fields: [(String, String)]) {
        self.init()
        for (name, value) in fields {
            let start = self.bytes.count
            self.append(Array(name.utf8).span, from: 0, to: name.utf8.count)
            let nameEnd = self.bytes.count
            self.endName()
            self.append(Array(value.utf8).span, from: 0, to: value.utf8.count)
            _ = self.endLine(from: start, nameEnd: nameEnd, role: .other)
        }
    }
}
