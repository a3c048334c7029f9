import GateWire
import NIOCore
import Testing

struct HTTP2AnswerBlockTests {
    private static let head = """
        HTTP/1.1 426 Upgrade Required\r
        Content-Type: application/problem+json\r
        Content-Length: 17\r
        Connection: close\r
        X-VersionGate: require\r

        """
    /// `date: now`, as a literal without indexing.
    private static let date: [UInt8] = [0x0F, 0x12, 3] + Array("now".utf8)

    @Test(arguments: [(nil, []), (0, ["0"]), (17, ["17"]), (1234, ["1234"])])
    func `a head is encoded as a block with the given length and date`(
        length: Int?,
        written: [String]
    ) throws {
        let rendered = HTTP2AnswerBlock(status: 426, Array(Self.head.utf8))
        #expect(!rendered.isCall)
        var block = ByteBuffer()
        block.writeHeaderBlock(fields: 0, bytes: rendered.maxCount(Self.date)) {
            rendered.write(length: length, Self.date, into: &$0)
        }
        let fields = try Self.fields(block)
        #expect(fields.map(\.name).first == ":status")
        #expect(fields.map(\.value).first == "426")
        #expect(fields.filter { $0.name == "content-length" }.map(\.value) == written)
        #expect(fields.filter { $0.name == "date" }.map(\.value) == ["now"])
        #expect(fields.filter { $0.name == "x-versiongate" }.map(\.value) == ["require"])
        #expect(!fields.contains { $0.name == "connection" })
    }

    @Test func `a response with grpc-status is a gRPC response`() {
        let text = "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\ngrpc-status: 9\r\n"
        #expect(HTTP2AnswerBlock(status: 200, Array(text.utf8)).isCall)
    }

    private static func fields(_ block: ByteBuffer) throws -> [(name: String, value: String)] {
        var reader = HTTP2HeaderReader(limit: 4096)
        try reader.read(block, names: .response)
        let bytes = reader.fields.bytes
        return reader.fields.lines.map { line in
            (
                bytes.span.text(from: line.start, to: line.nameEnd),
                bytes.span.text(from: line.valueStart, to: line.valueEnd)
            )
        }
    }
}
