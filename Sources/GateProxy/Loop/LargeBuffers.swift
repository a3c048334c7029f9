import NIOCore

/// Large buffers for long responses and uploads, shared by the connections of one event loop.
///
/// Other connections are served between two reads on a connection. If each connection had its own large buffer, the
/// buffer would be evicted from the processor's cache before the next read, and idle connections would waste memory.
final class LargeBuffers {
    /// The maximum number of bytes per read.
    ///
    /// This is also the amount that a connection buffers while the other side does not read.
    static let capacity = 512 * 1024
    /// The minimum number of bytes for which a large buffer is used.
    ///
    /// Smaller amounts of data are kept in the connection's own buffer.
    static let threshold = 64 * 1024
    /// The maximum number of unused buffers to keep.
    private static let kept = 2

    private var buffers: [ByteBuffer] = []

    /// Returns an empty buffer that is not in use.
    func take() -> ByteBuffer {
        for index in self.buffers.indices.reversed() {
            let isFree = self.buffers[index].modifyIfUniquelyOwned { $0.clear() } != nil
            if isFree { return self.buffers.remove(at: index) }
        }
        return ByteBufferAllocator().buffer(capacity: Self.capacity)
    }

    /// Returns a buffer to the pool, for reuse once its content has been sent.
    ///
    /// - Returns: The content, which is copied if it is small, so that it does not occupy a large buffer.
    func reclaim(_ buffer: ByteBuffer) -> ByteBuffer {
        guard buffer.capacity >= Self.capacity else { return buffer }
        if self.buffers.count == Self.kept { self.buffers.removeFirst() }
        self.buffers.append(buffer)
        guard buffer.readableBytes < Self.threshold else { return buffer }
        var copy = ByteBufferAllocator().buffer(capacity: buffer.readableBytes)
        copy.writeImmutableBuffer(buffer)
        return copy
    }
}
