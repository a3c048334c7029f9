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
            testDescription: "a length with many digits",
            fields: [(":status", "200"), ("content-length", "00000000000000000005")],
            written: wire("HTTP/1.1 200 OK", "content-length: 00000000000000000005"),
            content: .length(5)
        ),
        Case(
            testDescription: "the longest length",
            fields: [(":status", "200"), ("content-length", "9223372036854775807")],
            written: wire("HTTP/1.1 200 OK", "content-length: 9223372036854775807"),
            content: .length(9_223_372_036_854_775_807)
        ),
        Case(
            testDescription: "no length",
            fields: [(":status", "404")],
            written: wire("HTTP/1.1 404 Not Found", "transfer-encoding: chunked"),
            content: .any
        ),
        Case(
            testDescription: "no body",
            fields: [(":status", "200")],
            endsStream: true,
            written: wire("HTTP/1.1 200 OK", "content-length: 0"),
            content: .none
        ),
        Case(
            testDescription: "no body, as announced",
            fields: [(":status", "200"), ("content-length", "0")],
            endsStream: true,
            written: wire("HTTP/1.1 200 OK", "content-length: 0"),
            content: .none
        ),
        Case(
            testDescription: "a length of zero without END_STREAM",
            fields: [(":status", "200"), ("content-length", "0")],
            written: wire("HTTP/1.1 200 OK", "content-length: 0"),
            content: .length(0)
        ),
        Case(
            testDescription: "a response to HEAD",
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
            testDescription: "a status without a reason phrase",
            fields: [(":status", "299"), ("content-length", "1")],
            written: wire("HTTP/1.1 299 ", "content-length: 1"),
            content: .length(1)
        ),
        Case(
            testDescription: "several fields with one name, and empty values",
            fields: [(":status", "204"), ("set-cookie", "a=1"), ("set-cookie", "b=2"), ("x", "")],
            endsStream: true,
            written: wire("HTTP/1.1 204 No Content", "set-cookie: a=1", "set-cookie: b=2", "x: "),
            content: .none
        ),
    ]

    @Test(arguments: Self.cases)
    func `a head is written as an HTTP/1.1 head`(_ example: Case) throws {
        var list = try HeaderList(example.fields)
        var head = ResponseHead()
        let content = try HTTP2ResponseHead.read(
            &list,
            endsStream: example.endsStream,
            answersHead: example.answersHead,
            limits: .defaults,
            into: &head
        )
        #expect(content == example.content)
        let bytes = list.bytes.span
        let facts = try ResponseFacts(head, in: bytes, answersHead: example.answersHead)
        var out = ByteBuffer()
        ResponseHeadWriter.write(
            head,
            facts: facts,
            bytes: bytes,
            connection: .keep,
            removesFraming: false,
            adding: [],
            into: &out
        )
        #expect(String(buffer: out) == example.written)
        switch content {
        case .none, .length(0): #expect(facts.framing == .none)
        case .length(let length): #expect(facts.framing == .length(length))
        case .any: #expect(facts.framing == .chunked)
        }
        // The strict HTTP/1.1 parser must determine the same framing.
        let read = try ResponseSample(example.written)
        #expect(read.head.status == head.status)
        #expect(try read.facts(answersHead: example.answersHead).framing == facts.framing)
    }

    @Test(arguments: [("HTTP/1.0", false), ("HTTP/1.1", true)])
    func `an HTTP/1.0 client gets no chunks`(_ version: String, _ knowsChunks: Bool) throws {
        var list = try HeaderList([(":status", "200"), ("a", "b")])
        var head = ResponseHead()
        _ = try HTTP2ResponseHead.read(
            &list,
            endsStream: false,
            answersHead: false,
            limits: .defaults,
            into: &head
        )
        var out = ByteBuffer()
        ResponseHeadWriter.write(
            head,
            facts: try ResponseFacts(head, in: list.bytes.span, answersHead: false),
            bytes: list.bytes.span,
            connection: .close,
            removesFraming: !knowsChunks,
            adding: Array("X-VersionGate: recommend\r\n".utf8),
            into: &out
        )
        let framing = knowsChunks ? ["transfer-encoding: chunked"] : []
        let lines = ["HTTP/1.1 200 OK", "a: b"] + framing
        let added = ["X-VersionGate: recommend", "Connection: close"]
        #expect(String(buffer: out) == wire(lines + added))
    }

    @Test(
        arguments: [
            (2, 28, nil), (1, 28, .tooManyFields), (2, 27, .headTooLarge),
        ] as [(Int, Int, MessageFault?)]
    )
    func `the size and number of fields of a head are limited`(
        _ fields: Int,
        _ bytes: Int,
        _ fault: MessageFault?
    ) throws {
        var list = try HeaderList([(":status", "200"), ("a", "b"), ("c", "d")])
        var head = ResponseHead()
        let limits = HeadLimits(bytes: bytes, fields: fields, target: 16)
        do throws(MessageFault) {
            _ = try HTTP2ResponseHead.read(
                &list,
                endsStream: false,
                answersHead: false,
                limits: limits,
                into: &head
            )
            #expect(fault == nil)
        } catch {
            #expect(error == fault)
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
                [(":status", "200"), ("content-length", "9223372036854775808")], false,
                .contentLength
            ),
            (
                [(":status", "200"), ("content-length", "1"), ("content-length", "1")], false,
                .contentLength
            ),
            ([(":status", "200"), ("content-length", "1")], true, .contentLength),
        ] as [([(String, String)], Bool, MessageFault)]
    )
    func `a malformed head is rejected`(
        _ fields: [(String, String)],
        _ endsStream: Bool,
        _ fault: MessageFault
    ) {
        #expect(throws: fault) {
            var list = try HeaderList(fields)
            var head = ResponseHead()
            _ = try HTTP2ResponseHead.read(
                &list,
                endsStream: endsStream,
                answersHead: false,
                limits: .defaults,
                into: &head
            )
        }
    }
}
