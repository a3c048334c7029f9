import NIOCore

/// How much is read from a connection at once, and into what: a buffer of its own, or while the peer
/// fills that, a large one that is shared.
struct LargeReadAllocator: RecvByteBufferAllocator {
    /// Enough for most answers; of the memory, only what they fill is ever touched.
    static let initialCapacity = 16 * 1024

    private var sizes: AdaptiveRecvByteBufferAllocator
    private let largeBuffers: NIOLoopBound<LargeBuffers>

    /// - Parameters:
    ///   - largeBuffers: The buffers of the event loop.
    ///   - expectsMuch: Whether the peer is known to send much.
    init(_ largeBuffers: NIOLoopBound<LargeBuffers>, expectsMuch: Bool = false) {
        self.largeBuffers = largeBuffers
        self.sizes = AdaptiveRecvByteBufferAllocator(
            minimum: Self.initialCapacity,
            initial: expectsMuch ? LargeBuffers.capacity : Self.initialCapacity,
            maximum: LargeBuffers.capacity
        )
    }

    private var readsMuch: Bool {
        self.sizes.nextBufferSize() ?? 0 > LargeBuffers.threshold
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
