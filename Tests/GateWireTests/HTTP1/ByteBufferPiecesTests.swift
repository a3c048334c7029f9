import NIOCore
import Testing

@testable import GateWire

struct ByteBufferPiecesTests {
    @Test(
        arguments: [
            ("", "", "", "", ""),
            ("", "ab", "c", "def", "abcdef"),
            ("there", "ab", "", "def", "thereabdef"),
            ("there", "", "ab", "", "thereab"),
            ("there", "", "", "c", "therec"),
        ]
    )
    func `pieces are appended in order to the existing bytes`(
        _ there: String,
        _ first: String,
        _ second: String,
        _ third: String,
        _ expected: String
    ) {
        var buffer = ByteBuffer(string: there)
        buffer.writeTogether(Array(first.utf8), Array(second.utf8), Array(third.utf8))
        #expect(String(buffer: buffer) == expected)
    }

    @Test func `the buffer grows for pieces of any size`() {
        var buffer = ByteBufferAllocator().buffer(capacity: 8)
        let piece = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        buffer.writeTogether(piece, [1], piece)
        #expect(Array(buffer.readableBytesView) == piece + [1] + piece)
    }
}
struct ChunkTests {
    @Test(arguments: [
        (1, "1"), (9, "9"), (10, "a"), (15, "f"), (16, "10"), (255, "ff"), (256, "100"),
        (65_535, "ffff"), (65_536, "10000"),
    ])
    func `a chunk starts with its length in hexadecimal`(_ count: Int, _ digits: String) {
        let data = ByteBuffer(repeating: UInt8(ascii: "x"), count: count)
        var chunk = ByteBuffer()
        chunk.writeChunk(data, isLast: false)
        #expect(String(buffer: chunk) == "\(digits)\r\n\(String(buffer: data))\r\n")
    }

    @Test func `an empty chunk is written only at the end`() {
        var chunk = ByteBuffer()
        chunk.writeChunk(ByteBuffer(), isLast: false)
        #expect(chunk.readableBytes == 0)
        chunk.writeChunk(ByteBuffer(string: "ab"), isLast: true)
        #expect(String(buffer: chunk) == "2\r\nab\r\n0\r\n\r\n")
    }
}
