import NIOCore
import NIOEmbedded
import Testing

@testable import GateProxy

struct LargeReadAllocatorTests {
    private static func allocator() -> LargeReadAllocator {
        LargeReadAllocator(NIOLoopBound(LargeBuffers(), eventLoop: EmbeddedEventLoop()))
    }

    @Test func `a connection has a buffer of its own for what is short`() {
        var allocator = Self.allocator()
        for _ in 0..<10 {
            #expect(allocator.nextBufferSize() == LargeReadAllocator.initialCapacity)
            _ = allocator.record(actualReadBytes: 300)
        }
        let buffer = allocator.buffer(allocator: ByteBufferAllocator())
        #expect(buffer.capacity == LargeReadAllocator.initialCapacity)
    }

    @Test func `while a backend fills it, a shared one takes its place`() throws {
        var allocator = Self.allocator()
        while let size = allocator.nextBufferSize() {
            try #require(size <= LargeBuffers.threshold)
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
        #expect(allocator.nextBufferSize() == LargeReadAllocator.initialCapacity)
    }

    @Test func `of a peer that is known to send much the first read is a large one`() {
        var allocator = LargeReadAllocator(
            NIOLoopBound(LargeBuffers(), eventLoop: EmbeddedEventLoop()),
            expectsMuch: true
        )
        #expect(allocator.nextBufferSize() == nil)
        #expect(
            allocator.buffer(allocator: ByteBufferAllocator()).capacity == LargeBuffers.capacity
        )
        for _ in 0..<20 { _ = allocator.record(actualReadBytes: 300) }
        #expect(allocator.nextBufferSize() == LargeReadAllocator.initialCapacity)
    }
}
