import NIOCore

/// Large buffers that the connections of one event loop share, to read long answers of the backend.
///
/// Between two reads of one connection the others have their turn. With buffers of its own each
/// would find them pushed out of the processor's cache, and an idle one would keep them for nothing.
final class LargeBuffers {
    /// Bytes that are read at once at most, which is what a client that takes nothing holds.
    static let capacity = 512 * 1024
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

    /// Lets the memory serve again as soon as its content has reached the client.
    func giveBack(_ buffer: ByteBuffer) {
        guard buffer.capacity >= Self.capacity else { return }
        if self.buffers.count == Self.kept { self.buffers.removeFirst() }
        self.buffers.append(buffer)
    }
}

/// How much is read from a connection to the backend at once, and into what: a buffer of its own, or
/// while the backend fills that, a large one that is shared.
struct BackendReceiveAllocator: RecvByteBufferAllocator {
    /// Enough for most answers; of the memory, only what they fill is ever touched.
    static let initialCapacity = 16 * 1024
    /// The most that a connection has of its own, so that a large buffer never holds little.
    static let ownCapacity = 64 * 1024

    private var sizes = AdaptiveRecvByteBufferAllocator(
        minimum: Self.initialCapacity,
        initial: Self.initialCapacity,
        maximum: LargeBuffers.capacity
    )
    private let largeBuffers: NIOLoopBound<LargeBuffers>

    init(_ largeBuffers: NIOLoopBound<LargeBuffers>) {
        self.largeBuffers = largeBuffers
    }

    private var readsMuch: Bool {
        self.sizes.nextBufferSize() ?? 0 > Self.ownCapacity
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        self.readsMuch ? self.largeBuffers.value.take() : self.sizes.buffer(allocator: allocator)
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        let grows = self.sizes.record(actualReadBytes: actualReadBytes)
        return grows || self.readsMuch
    }

    /// `nil` keeps the channel from using a buffer of its own again.
    func nextBufferSize() -> Int? {
        self.readsMuch ? nil : self.sizes.nextBufferSize()
    }
}
