import NIOCore
import NIOEmbedded
import Testing

@testable import GateProxy

struct BackendReceiveAllocatorTests {
    private static func allocator() -> BackendReceiveAllocator {
        BackendReceiveAllocator(NIOLoopBound(LargeBuffers(), eventLoop: EmbeddedEventLoop()))
    }

    @Test func `a connection has a buffer of its own for what is short`() {
        var allocator = Self.allocator()
        for _ in 0..<10 {
            #expect(allocator.nextBufferSize() == BackendReceiveAllocator.initialCapacity)
            _ = allocator.record(actualReadBytes: 300)
        }
        let buffer = allocator.buffer(allocator: ByteBufferAllocator())
        #expect(buffer.capacity == BackendReceiveAllocator.initialCapacity)
    }

    @Test func `while a backend fills it, a shared one takes its place`() throws {
        var allocator = Self.allocator()
        while let size = allocator.nextBufferSize() {
            try #require(size <= BackendReceiveAllocator.ownCapacity)
            _ = allocator.record(actualReadBytes: size)
        }
        // Without this answer the channel would use the buffer that it has.
        let grows = allocator.record(actualReadBytes: 200_000)
        #expect(grows)
        #expect(allocator.nextBufferSize() == nil)
        let buffer = allocator.buffer(allocator: ByteBufferAllocator())
        #expect(buffer.capacity == LargeBuffers.capacity)
    }

    @Test func `after a large answer come short ones`() {
        var allocator = Self.allocator()
        for _ in 0..<10 { _ = allocator.record(actualReadBytes: LargeBuffers.capacity) }
        #expect(allocator.nextBufferSize() == nil)
        for _ in 0..<20 { _ = allocator.record(actualReadBytes: 300) }
        #expect(allocator.nextBufferSize() == BackendReceiveAllocator.initialCapacity)
    }
}
