import NIOCore
import Testing

@testable import GateProxy

struct LargeBuffersTests {
    /// The address of a buffer's memory.
    private static func address(of buffer: ByteBuffer) -> UInt {
        unsafe buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    @Test func `memory serves again as soon as its content is gone`() {
        let buffers = LargeBuffers()
        var content: ByteBuffer? = buffers.take()
        content?.writeString("of the first")
        let address = content.map(Self.address)
        if let content { buffers.giveBack(content) }
        // The client has not taken it yet.
        let other = buffers.take()
        #expect(Self.address(of: other) != address)
        #expect(content.map { String(buffer: $0) } == "of the first")
        content = nil
        let again = buffers.take()
        #expect(Self.address(of: again) == address)
        #expect(again.readableBytes == 0 && again.capacity == LargeBuffers.capacity)
    }

    @Test func `what the client has taken in part is kept for the rest`() {
        let buffers = LargeBuffers()
        var content = buffers.take()
        content.writeString("abcdef")
        buffers.giveBack(content)
        content.moveReaderIndex(forwardBy: 3)
        for _ in 0..<5 {
            var other = buffers.take()
            other.writeString("xxxxxx")
            buffers.giveBack(other)
        }
        #expect(String(buffer: content) == "def")
    }

    @Test func `small buffers are no use`() {
        let buffers = LargeBuffers()
        buffers.giveBack(ByteBuffer(string: "abc"))
        #expect(buffers.take().capacity == LargeBuffers.capacity)
    }
}
