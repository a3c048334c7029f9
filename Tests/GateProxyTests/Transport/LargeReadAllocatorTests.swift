import NIOCore
import NIOEmbedded
import Testing

@testable import GateProxy

struct LargeReadAllocatorTests {
    private static func allocator() -> LargeReadAllocator {
        LargeReadAllocator(NIOLoopBound(LargeBuffers(), eventLoop: EmbeddedEventLoop()))
    }

    @Test func `short reads use the connection's own buffer`() {
        var allocator = Self.allocator()
        for _ in 0..<10 {
            #expect(allocator.nextBufferSize() == LargeReadAllocator.initialCapacity)
            _ = allocator.record(actualReadBytes: 300)
        }
        let buffer = allocator.buffer(allocator: ByteBufferAllocator())
        #expect(buffer.capacity == LargeReadAllocator.initialCapacity)
    }

    @Test func `large reads use a shared buffer`() throws {
        var allocator = Self.allocator()
        while let size = allocator.nextBufferSize() {
            try #require(size <= LargeBuffers.threshold)
            _ = allocator.record(actualReadBytes: size)
        }
        // With any other result, the channel would reuse its current buffer.
        let grows = allocator.record(actualReadBytes: 200_000)
        #expect(grows)
        #expect(allocator.nextBufferSize() == nil)
        let buffer = allocator.buffer(allocator: ByteBufferAllocator())
        #expect(buffer.capacity == LargeBuffers.capacity)
    }

    @Test func `after a large response, short reads use a small buffer again`() {
        var allocator = Self.allocator()
        for _ in 0..<10 { _ = allocator.record(actualReadBytes: LargeBuffers.capacity) }
        #expect(allocator.nextBufferSize() == nil)
        for _ in 0..<20 { _ = allocator.record(actualReadBytes: 300) }
        #expect(allocator.nextBufferSize() == LargeReadAllocator.initialCapacity)
    }

    @Test func `a peer with large responses starts with a large read`() {
        var allocator = LargeReadAllocator(
            NIOLoopBound(LargeBuffers(), eventLoop: EmbeddedEventLoop()),
            expectsLargeReads: true
        )
        #expect(allocator.nextBufferSize() == nil)
        #expect(
            allocator.buffer(allocator: ByteBufferAllocator()).capacity == LargeBuffers.capacity
        )
        for _ in 0..<20 { _ = allocator.record(actualReadBytes: 300) }
        #expect(allocator.nextBufferSize() == LargeReadAllocator.initialCapacity)
    }
}
