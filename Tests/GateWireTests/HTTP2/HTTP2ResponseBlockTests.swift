import GateWire
import NIOCore
import Testing
import WireSamples

struct HTTP2ResponseBlockTests {
    @Test func `the fields of a response are encoded without those of its connection`() throws {
        let block = try Self.block([
            "Content-Type: text/plain; charset=utf-8", "CONTENT-LENGTH: 4", "Connection: x-hop",
            "X-Hop: 1", "Keep-Alive: timeout=5", "X-Trace: a", "content-language: de",
            "content-type: second", "X_Trace: b",
        ])
        let expected = [
            ":status: 200", "content-type: text/plain; charset=utf-8", "content-length: 4",
            "x-trace: a", "content-language: de", "content-type: second", "x_trace: b",
        ]
        #expect(try Self.fields(block) == expected)
    }

    @Test func `a content type that the connection nominates is dropped`() throws {
        let block = try Self.block(["Content-Type: text/plain", "Connection: content-type"])
        #expect(try Self.fields(block) == [":status: 200"])
    }

    @Test func `names in the static table are encoded as indices`() throws {
        let block = try Self.block(["Content-Type: a/b", "Server: s"])
        // 31 and 54 in RFC 7541 Appendix A.
        let expected =
            [0x88, 0x0F, 16, 3] + Array("a/b".utf8) + [0x0F, 39, 1] + Array("s".utf8)
        #expect(Array(block.readableBytesView) == expected)
    }

    private static func block(_ lines: [String]) throws -> ByteBuffer {
        let sample = try ResponseSample(wire(["HTTP/1.1 200 OK"] + lines))
        let bytes = sample.bytes
        let facts = try sample.facts()
        var block = ByteBuffer()
        block.writeHeaderBlock(fields: lines.count, bytes: bytes.count) { block in
            HTTP2ResponseBlock.write(
                sample.head,
                facts: facts,
                bytes: bytes.span,
                endsStream: false,
                into: &block
            )
        }
        return block
    }

    private static func fields(_ block: ByteBuffer) throws -> [String] {
        var reader = HTTP2HeaderReader(limit: 4096)
        try reader.read(block, names: .response)
        let bytes = reader.fields.bytes
        return reader.fields.lines.map { bytes.span.text(from: $0.start, to: $0.valueEnd) }
    }
}
