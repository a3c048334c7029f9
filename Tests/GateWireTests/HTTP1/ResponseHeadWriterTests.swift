import NIOCore
import Testing
import WireSamples

@testable import GateWire

struct ResponseHeadWriterTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var received: String
        var connection = ResponseHeadWriter.Connection.keep
        var removesFraming = false
        var adding = ""
        var sent: String
        var testDescription: String { self.name }
    }

    static let cases: [Case] = [
        Case(
            name: "other fields are unchanged",
            received: wire(
                "HTTP/1.1 200 All  right",
                "a:b",
                "Set-Cookie: c \t",
                "Set-Cookie: d",
                "E:"
            ),
            sent: wire("HTTP/1.1 200 All  right", "a:b", "Set-Cookie: c \t", "Set-Cookie: d", "E:")
        ),
        Case(
            name: "the HTTP version is the gate's",
            received: wire("HTTP/1.0 200 OK", "Content-Length: 1"),
            sent: wire("HTTP/1.1 200 OK", "Content-Length: 1")
        ),
        Case(
            name: "a missing reason has its space",
            received: wire("HTTP/1.1 204"),
            sent: wire("HTTP/1.1 204 ")
        ),
        Case(
            name: "an empty reason keeps its space",
            received: wire("HTTP/1.1 204 "),
            sent: wire("HTTP/1.1 204 ")
        ),
        Case(
            name: "hop-by-hop fields are removed at any position",
            received: wire(
                "HTTP/1.1 200 OK",
                "Keep-Alive: timeout=5",
                "A: b",
                "Connection: x-one, keep-alive",
                "X-One: 1",
                "C: d",
                "Upgrade: h2c",
                "Proxy-Connection: close"
            ),
            sent: wire("HTTP/1.1 200 OK", "A: b", "C: d")
        ),
        Case(
            name: "reserved fields from a backend are removed",
            received: wire("HTTP/1.1 200 OK", "X-VersionGate: require", "A: b"),
            adding: "X-VersionGate: recommend\r\n",
            sent: wire("HTTP/1.1 200 OK", "A: b", "X-VersionGate: recommend")
        ),
        Case(
            name: "framing fields cannot be nominated",
            received: wire(
                "HTTP/1.1 200 OK",
                "Connection: content-length, transfer-encoding",
                "Content-Length: 3"
            ),
            sent: wire("HTTP/1.1 200 OK", "Content-Length: 3")
        ),
        Case(
            name: "chunked passes",
            received: wire("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Trailer: a"),
            sent: wire("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Trailer: a")
        ),
        Case(
            name: "chunked is removed",
            received: wire("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "A: b"),
            connection: .close,
            removesFraming: true,
            sent: wire("HTTP/1.1 200 OK", "A: b", "Connection: close")
        ),
        Case(
            name: "HTTP 1.0 gets Connection: keep-alive",
            received: wire("HTTP/1.1 200 OK", "Connection: close", "Content-Length: 0"),
            connection: .keepExplicitly,
            sent: wire("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: keep-alive")
        ),
        Case(
            name: "the last response has Connection: close",
            received: wire("HTTP/1.1 200 OK", "Connection: keep-alive"),
            connection: .close,
            sent: wire("HTTP/1.1 200 OK", "Connection: close")
        ),
        Case(
            name: "a 101 is forwarded",
            received: wire(
                "HTTP/1.1 101 Switching Protocols",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Accept: a"
            ),
            connection: .upgrade,
            sent: wire(
                "HTTP/1.1 101 Switching Protocols",
                "Upgrade: websocket",
                "Sec-WebSocket-Accept: a",
                "Connection: upgrade"
            )
        ),
        Case(
            name: "204 has no framing",
            received: wire(
                "HTTP/1.1 204 X",
                "Content-Length: 0",
                "Transfer-Encoding: chunked",
                "A: b"
            ),
            sent: wire("HTTP/1.1 204 X", "A: b")
        ),
        Case(
            name: "1xx has no framing",
            received: wire("HTTP/1.1 103 X", "Content-Length: 5", "Link: a"),
            sent: wire("HTTP/1.1 103 X", "Link: a")
        ),
        Case(
            name: "1xx has no transfer coding",
            received: wire("HTTP/1.1 103 X", "Transfer-Encoding: chunked", "Link: a"),
            sent: wire("HTTP/1.1 103 X", "Link: a")
        ),
        Case(
            name: "304 keeps its Content-Length",
            received: wire("HTTP/1.1 304 X", "Content-Length: 5"),
            sent: wire("HTTP/1.1 304 X", "Content-Length: 5")
        ),
    ]

    @Test(arguments: Self.cases)
    func `a forwarded head has the expected lines`(_ sample: Case) throws {
        // Other tests cover responses with both framing fields; only the lines matter here.
        let read = try ResponseSample(sample.received)
        let bytes = read.bytes
        let connectionLines = read.fields.filter { $0.name == "Connection" }
        let facts = try ResponseSample(
            wire(["HTTP/1.1 200 OK"] + connectionLines.map { "Connection: \($0.value)" })
        ).facts()
        var out = ByteBuffer()
        ResponseHeadWriter.write(
            read.head,
            facts: facts,
            bytes: bytes.span,
            connection: sample.connection,
            removesFraming: sample.removesFraming,
            adding: Array(sample.adding.utf8),
            into: &out
        )
        #expect(String(buffer: out) == sample.sent)
    }

    @Test(
        arguments: [
            (false, true, ResponseHeadWriter.Connection.keep), (true, true, .keepExplicitly),
            (false, false, .close), (true, false, .close),
        ]
    )
    func `the Connection field of a response depends on the version`(
        _ isHTTP10: Bool,
        _ keepsClient: Bool,
        _ connection: ResponseHeadWriter.Connection
    ) {
        let written = ResponseHeadWriter.Connection(keepsClient: keepsClient, isHTTP10: isHTTP10)
        #expect(written == connection)
    }
}
