import NIOCore
import Testing

@testable import GateWire

struct HeaderBlockFrameTests {
    @Test(arguments: [10, 16_384, 16_385, 40_000])
    func `a block that is too long for one frame continues in others`(count: Int) throws {
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
