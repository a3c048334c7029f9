import NIOCore

/// Large buffers that the connections of one event loop share, to read long answers and uploads.
///
/// Between two reads of one connection the others have their turn. With buffers of its own each
/// would find them pushed out of the processor's cache, and an idle one would keep them for nothing.
final class LargeBuffers {
    /// Bytes that are read at once at most, which is what a peer that takes nothing holds.
    static let capacity = 512 * 1024
    /// Bytes that are worth a large buffer; fewer are in a buffer of the connection's own.
    static let threshold = 64 * 1024
    /// As many as are kept although nobody reads.
    private static let kept = 2

    private var buffers: [ByteBuffer] = []

    /// An empty buffer that nobody else has.
    func take() -> ByteBuffer {
        for index in self.buffers.indices.reversed() {
            let isFree = self.buffers[index].modifyIfUniquelyOwned { $0.clear() } != nil
            if isFree { return self.buffers.remove(at: index) }
        }
        return ByteBufferAllocator().buffer(capacity: Self.capacity)
    }

    /// Lets the memory serve again as soon as its content has reached the other side.
    ///
    /// - Returns: the content, in memory of its own if it is little: a large buffer never holds that alone.
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
