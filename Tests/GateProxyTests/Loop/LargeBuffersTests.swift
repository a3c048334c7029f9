import NIOCore
import Testing

@testable import GateProxy

struct LargeBuffersTests {
    private static let much = 100_000

    /// Returns the address of a buffer's memory.
    private static func address(of buffer: ByteBuffer) -> UInt {
        unsafe buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    @Test func `memory is reused as soon as its content is released`() {
        let buffers = LargeBuffers()
        var content: ByteBuffer? = buffers.take()
        content?.writeRepeatingByte(0x61, count: Self.much)
        let address = content.map(Self.address)
        content = content.map { buffers.reclaim($0) }
        #expect(content.map(Self.address) == address)
        // The client has not received the content yet.
        let other = buffers.take()
        #expect(Self.address(of: other) != address)
        #expect(content?.readableBytesView.allSatisfy { $0 == 0x61 } == true)
        content = nil
        let again = buffers.take()
        #expect(Self.address(of: again) == address)
        #expect(again.readableBytes == 0 && again.capacity == LargeBuffers.capacity)
    }

    @Test func `partially sent content is kept until the rest is sent`() {
        let buffers = LargeBuffers()
        var content = buffers.take()
        content.writeRepeatingByte(0x61, count: Self.much)
        content.writeString("def")
        content = buffers.reclaim(content)
        content.moveReaderIndex(forwardBy: Self.much)
        for _ in 0..<5 {
            var other = buffers.take()
            other.writeRepeatingByte(0x78, count: Self.much + 3)
            _ = buffers.reclaim(other)
        }
        #expect(String(buffer: content) == "def")
    }

    @Test func `a small read is copied and does not occupy a large buffer`() {
        let buffers = LargeBuffers()
        var content = buffers.take()
        content.writeString("abc")
        let address = Self.address(of: content)
        content = buffers.reclaim(content)
        #expect(content.capacity < 100)
        #expect(Self.address(of: buffers.take()) == address)
        #expect(String(buffer: content) == "abc")
    }

    @Test func `a small buffer is not reclaimed`() {
        let buffers = LargeBuffers()
        #expect(String(buffer: buffers.reclaim(ByteBuffer(string: "abc"))) == "abc")
        #expect(buffers.take().capacity == LargeBuffers.capacity)
    }
}
