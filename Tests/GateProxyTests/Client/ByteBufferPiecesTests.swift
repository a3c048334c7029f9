import NIOCore
import Testing

@testable import GateProxy

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
    func `pieces stand behind one another and behind what is there`(
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

    @Test func `there is room for pieces of any size`() {
        var buffer = ByteBufferAllocator().buffer(capacity: 8)
        let piece = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
        buffer.writeTogether(piece, [1], piece)
        #expect(Array(buffer.readableBytesView) == piece + [1] + piece)
    }
}
