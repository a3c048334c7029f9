import NIOCore
import Testing
import WireSamples

@testable import GateWire

struct HTTP2RequestBlockTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var head: String
        var isSecure = false
        var fields: [String]

        var testDescription: String { self.head.split(separator: "\r\n").joined(separator: " | ") }
    }

    static let cases = [
        Case(
            head: wire("GET / HTTP/1.1", "Host: a.example:8080"),
            fields: [":method: GET", ":scheme: http", ":authority: a.example:8080", ":path: /"]
        ),
        Case(
            head: wire("GET / HTTP/1.1", "Host:"),
            fields: [":method: GET", ":scheme: http", ":path: /"]
        ),
        Case(
            head: wire("POST /b?c=d HTTP/1.1", "X-A: 1", "Host: a", "Content-Length: 3"),
            isSecure: true,
            fields: [
                ":method: POST", ":scheme: https", ":authority: a", ":path: /b?c=d", "x-a: 1",
                "content-length: 3",
            ]
        ),
        Case(
            head: wire("OPTIONS * HTTP/1.1", "Host: a"),
            fields: [":method: OPTIONS", ":scheme: http", ":authority: a", ":path: *"]
        ),
        Case(
            head: wire(
                "PUT / HTTP/1.1",
                "Host: a",
                "Connection: upgrade",
                "Upgrade: websocket",
                "Transfer-Encoding: chunked",
                "Keep-Alive: 5",
                "Cookie: a=1; b=2",
                "X-VersionGate-Decision: allow"
            ),
            fields: [
                ":method: PUT", ":scheme: http", ":authority: a", ":path: /", "cookie: a=1; b=2",
                "x-versiongate-decision: allow",
            ]
        ),
        Case(
            head: wire("GET / HTTP/1.1", "Host: a", "Connection: TE", "TE: trailers"),
            fields: [":method: GET", ":scheme: http", ":authority: a", ":path: /", "te: trailers"]
        ),
        Case(
            head: wire(
                "GET / HTTP/1.1",
                "Host: a",
                "X-Long: " + String(repeating: "x", count: 300)
            ),
            fields: [
                ":method: GET", ":scheme: http", ":authority: a", ":path: /",
                "x-long: " + String(repeating: "x", count: 300),
            ]
        ),
    ]

    @Test(arguments: Self.cases)
    func `a head becomes a header block`(_ example: Case) throws {
        let bytes = Array(example.head.utf8)
        var parser = RequestHeadParser()
        #expect(parser.parse(bytes, table: HTTP2RequestBlock.table) == .complete)
        var block = ByteBuffer()
        HTTP2RequestBlock.write(
            parser.head,
            facts: try RequestFacts(parser.head, in: bytes.span),
            bytes: bytes.span,
            isSecure: example.isSecure,
            into: &block
        )
        var list = HeaderList()
        var decoder = HPACKDecoder(names: .response)
        try decoder.decode(block.readableBytesUInt8Span, into: &list, limit: 10_000)
        let read = list.lines.map { line in
            list.bytes.text(from: line.start, to: line.nameEnd) + ": "
                + list.bytes.text(from: line.valueStart, to: line.valueEnd)
        }
        #expect(read == example.fields)
    }

    @Test(arguments: [10, 16_384, 16_385, 40_000])
    func `a block that is too long for a frame goes on in others`(count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var buffer = ByteBuffer(string: "before")
        let start = buffer.writerIndex
        buffer.writeFrameHeader(
            length: 0,
            type: .headers,
            flags: [.endHeaders, .endStream],
            stream: 5
        )
        buffer.writeBytes(content)
        buffer.endHeaderBlock(at: start, stream: 5)
        buffer.moveReaderIndex(to: start)
        var read: [UInt8] = []
        var isFirst = true
        while let header = buffer.frameHeader {
            buffer.moveReaderIndex(forwardBy: HTTP2FrameHeader.size)
            let payload = buffer.readBytes(length: header.length)
            read += try #require(payload)
            #expect(header.type == (isFirst ? .headers : .continuation))
            #expect(header.stream == 5)
            #expect(header.flags.contains(.endHeaders) == (read.count == count))
            #expect(header.flags.contains(.endStream) == isFirst)
            #expect(header.length <= HTTP2FrameHeader.maxLength)
            isFirst = false
        }
        #expect(read == content)
        #expect(buffer.readableBytes == 0)
    }
}
