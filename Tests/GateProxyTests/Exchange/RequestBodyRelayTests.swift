import GateWire
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

struct RequestBodyRelayTests {
    private static let table = FieldNameTable.request(identityHeaderNames: [])

    private func relay(_ framing: BodyFraming, asContent: Bool = false) -> RequestBodyRelay {
        var relay = RequestBodyRelay()
        relay.begin(framing)
        if asContent { relay.beginContent() }
        return relay
    }

    private func read(
        _ relay: inout RequestBodyRelay,
        _ text: String,
        limit: UInt64? = nil,
        inputClosed: Bool = false
    ) -> RequestBodyRelay.ReadAction {
        let inbound = ByteBuffer(string: text)
        return relay.passesContent
            ? relay.readContent(
                inbound,
                trailerFields: Self.table,
                limit: limit,
                inputClosed: inputClosed
            )
            : relay.readFramed(
                inbound,
                trailerFields: Self.table,
                limit: limit,
                inputClosed: inputClosed
            )
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let framing: BodyFraming
        let received: String
        /// The bytes that are forwarded, with the original framing and as content.
        let framed: String
        let content: String
        let consumed: Int
        let isLast: Bool

        var testDescription: String { "\(self.framing) \(self.received.debugDescription)" }
    }

    private static let cases = [
        Case(.length(5), "hel", framed: "hel", content: "hel", isLast: false),
        Case(.length(5), "hello", framed: "hello", content: "hello", isLast: true),
        Case(.length(5), "helloGET", framed: "hello", content: "hello", consumed: 5, isLast: true),
        Case(.length(5), "", framed: "", content: "", isLast: false),
        Case(.chunked, "5\r\nhel", framed: "5\r\nhel", content: "hel", isLast: false),
        Case(.chunked, "5\r", framed: "", content: "", consumed: 0, isLast: false),
        Case(
            .chunked,
            "3;a=b\r\nabc\r\n0\r\n\r\nGET",
            framed: "3\r\nabc\r\n0\r\n\r\n",
            content: "abc",
            consumed: 17,
            isLast: true
        ),
        Case(
            .chunked,
            "0\r\ncheck: 1\r\n\r\n",
            framed: "0\r\ncheck: 1\r\n\r\n",
            content: "",
            isLast: true
        ),
    ]

    @Test(arguments: Self.cases, [false, true])
    func `a body is forwarded up to its end, framed or as content`(
        _ sample: Case,
        _ asContent: Bool
    ) {
        var relay = self.relay(sample.framing, asContent: asContent)
        let bytes = ByteBuffer(string: asContent ? sample.content : sample.framed)
        #expect(
            self.read(&relay, sample.received)
                == (sample.isLast
                    ? .passLast(bytes, consumed: sample.consumed)
                    : .pass(bytes, consumed: sample.consumed))
        )
        #expect(relay.byteCount == UInt64(sample.content.utf8.count))
    }

    @Test(arguments: Self.cases.filter { !$0.isLast }, [false, true])
    func `a client that closes within the body ends the request`(
        _ sample: Case,
        _ asContent: Bool
    ) {
        var relay = self.relay(sample.framing, asContent: asContent)
        #expect(self.read(&relay, sample.received, inputClosed: true) == .close)
    }

    @Test(
        arguments: [
            ("x\r\n", RequestBodyRelay.Fault.malformed(.chunkSize)),
            ("1\r\nab", .malformed(.chunkEnd)),
            ("0\r\nHost: a\r\n\r\n", .malformed(.trailer)),
            ("5\r\nhello\r\n0\r\n\r\n", .tooLarge),
            // The limit is checked first.
            ("5\r\nhello\r\nx\r\n", .tooLarge),
        ],
        [false, true]
    )
    func `a body that is malformed or too large is refused`(
        _ sample: (String, RequestBodyRelay.Fault),
        _ asContent: Bool
    ) {
        var relay = self.relay(.chunked, asContent: asContent)
        let inbound = ByteBuffer(string: sample.0)
        #expect(relay.fault(in: inbound, trailerFields: Self.table, limit: 4) == sample.1)
        #expect(self.read(&relay, sample.0, limit: 4) == .refuse(sample.1))
    }

    @Test func `a body is refused in advance only by chunks that have arrived`() {
        for (framing, text) in [(BodyFraming.chunked, ""), (.length(9), "x\r\n"), (.none, "x")] {
            let inbound = ByteBuffer(string: text)
            let relay = self.relay(framing)
            #expect(relay.fault(in: inbound, trailerFields: Self.table, limit: 0) == nil)
        }
    }

    @Test func `the limit is for all parts of a body together`() {
        var relay = self.relay(.length(6))
        _ = self.read(&relay, "abc", limit: 5)
        #expect(self.read(&relay, "def", limit: 5) == .refuse(.tooLarge))
        var stream = self.relay(.chunked)
        #expect(stream.receive(ByteBuffer(string: "abc"), limit: 5) == true)
        #expect(stream.receive(ByteBuffer(string: "def"), limit: 5) == false)
    }

    @Test func `trailer fields follow the last chunk`() {
        var relay = self.relay(.chunked, asContent: true)
        _ = self.read(&relay, "2\r\nab\r\n0\r\ncheck: 1\r\nmore: 2\r\n")
        _ = self.read(&relay, "\r\n")
        var chunk = ByteBuffer()
        relay.writeChunk(ByteBuffer(string: "ab"), isLast: true, into: &chunk)
        #expect(String(buffer: chunk) == "2\r\nab\r\n0\r\ncheck: 1\r\nmore: 2\r\n\r\n")
        var other = ByteBuffer()
        relay.writeChunk(ByteBuffer(string: "ab"), isLast: false, into: &other)
        #expect(String(buffer: other) == "2\r\nab\r\n")
    }

    @Test func `content that was sent is sent again to another backend, but only once`() {
        var relay = self.relay(.chunked, asContent: true)
        _ = self.read(&relay, "2\r\nab\r\n")
        _ = self.read(&relay, "1\r\nc\r\n")
        #expect(relay.isResendable)
        #expect(relay.takeSent() == ByteBuffer(string: "abc"))
        // Over HTTP/1.1, nothing is kept, but the form remains.
        #expect(relay.passesContent)
        _ = self.read(&relay, "1\r\nd\r\n")
        #expect(relay.takeSent() == nil)
        relay.beginContent()
        relay.keep(ByteBuffer(string: "abcd"))
        #expect(relay.takeSent() == ByteBuffer(string: "abcd"))
    }

    @Test func `nothing is kept once the backend has responded`() {
        var relay = self.relay(.length(4), asContent: true)
        _ = self.read(&relay, "ab")
        relay.dropSent()
        _ = self.read(&relay, "cd")
        #expect(relay.takeSent() == nil)
        #expect(relay.passesContent)
        var framed = self.relay(.length(4))
        framed.dropSent()
        #expect(!framed.passesContent)
        #expect(framed.takeSent() == nil)
    }

    @Test func `a large body is sent only once`() {
        var relay = self.relay(.chunked, asContent: true)
        #expect(relay.receive(ByteBuffer(repeating: 0x61, count: 65_537), limit: nil) == true)
        #expect(!relay.isResendable)
    }

    @Test(
        arguments: [
            (BodyFraming.length(3), "abcGET", Int?.some(3)), (.length(3), "ab", nil),
            (.chunked, "1\r\na\r\n0\r\n\r\nGET", 11), (.chunked, "1\r\na\r\n", nil),
            (.chunked, "x\r\n", nil),
        ]
    )
    func `the end is found without reading the body`(
        _ framing: BodyFraming,
        _ text: String,
        _ end: Int?
    ) {
        let relay = self.relay(framing)
        let inbound = ByteBuffer(string: text)
        for _ in 0..<2 {
            #expect(relay.countToEnd(in: inbound, trailerFields: Self.table) == end)
        }
    }

    @Test func `discarded bytes are read up to the end of the body`() {
        var relay = self.relay(.length(5))
        let first = ByteBuffer(string: "ab")
        #expect(relay.discard(first, trailerFields: Self.table) == .more(consumed: 2))
        let rest = ByteBuffer(string: "cdeGET")
        #expect(relay.discard(rest, trailerFields: Self.table) == .end(consumed: 3))
    }

    @Test func `a long body is expected to have much left, as is one that has been long so far`() {
        var announced = self.relay(.length(10))
        #expect(announced.expects(10))
        _ = self.read(&announced, "a")
        #expect(!announced.expects(10))
        var chunked = self.relay(.chunked)
        #expect(!chunked.expects(3))
        _ = self.read(&chunked, "3\r\nabc\r\n")
        #expect(chunked.expects(3))
    }
}

extension RequestBodyRelayTests.Case {
    init(
        _ framing: BodyFraming,
        _ received: String,
        framed: String,
        content: String,
        consumed: Int? = nil,
        isLast: Bool
    ) {
        self.framing = framing
        self.received = received
        self.framed = framed
        self.content = content
        self.consumed = consumed ?? received.utf8.count
        self.isLast = isLast
    }
}
