import NIOCore
import Testing

@testable import GateWire

struct HeaderBlockFrameTests {
    /// The first block of a connection starts with a byte that empties the peer's table.
    @Test(arguments: [10, 16_383, 16_384, 40_000])
    func `a block that is too long for one frame continues in others`(count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var outbox = HTTP2Outbox()
        outbox.frames = ByteBuffer(string: "before")
        outbox.writeHeaders(stream: 5, endsStream: true, fields: 0, bytes: count) { block in
            block.writeBytes(content)
        }
        var buffer = outbox.frames
        #expect(buffer.readString(length: 6) == "before")
        var read: [UInt8] = []
        var isFirst = true
        while let header = buffer.frameHeader {
            buffer.moveReaderIndex(forwardBy: HTTP2FrameHeader.size)
            let payload = buffer.readBytes(length: header.length)
            read += try #require(payload)
            #expect(header.type == (isFirst ? .headers : .continuation))
            #expect(header.stream == 5)
            #expect(header.flags.contains(.endHeaders) == (read.count == 1 + count))
            #expect(header.flags.contains(.endStream) == isFirst)
            #expect(header.length <= HTTP2FrameHeader.maxLength)
            isFirst = false
        }
        #expect(read == [0x20] + content)
        #expect(buffer.readableBytes == 0)
    }
}
