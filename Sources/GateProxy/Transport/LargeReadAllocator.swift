import NIOCore

/// A receive allocator that switches to large shared buffers while reads fill the channel's own buffer.
struct LargeReadAllocator: RecvByteBufferAllocator {
    /// The initial size of the channel's own buffer in bytes.
    ///
    /// This is enough for most responses; the memory pages that they do not reach are never touched.
    static let initialCapacity = 16 * 1024

    private var sizes: AdaptiveRecvByteBufferAllocator
    private let largeBuffers: NIOLoopBound<LargeBuffers>

    /// Creates an allocator.
    ///
    /// `expectsLargeReads` indicates whether the peer is expected to send a large amount of data.
    init(_ largeBuffers: NIOLoopBound<LargeBuffers>, expectsLargeReads: Bool = false) {
        self.largeBuffers = largeBuffers
        self.sizes = AdaptiveRecvByteBufferAllocator(
            minimum: Self.initialCapacity,
            initial: expectsLargeReads ? LargeBuffers.capacity : Self.initialCapacity,
            maximum: LargeBuffers.capacity
        )
    }

    private var usesLargeReads: Bool {
        self.sizes.nextBufferSize() ?? 0 > LargeBuffers.threshold
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        self.usesLargeReads
            ? self.largeBuffers.value.take() : self.sizes.buffer(allocator: allocator)
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        let grows = self.sizes.record(actualReadBytes: actualReadBytes)
        return grows || self.usesLargeReads
    }

    /// Returns the size of the next buffer; `nil` prevents the channel from reusing its own buffer.
    func nextBufferSize() -> Int? {
        self.usesLargeReads ? nil : self.sizes.nextBufferSize()
    }
}
