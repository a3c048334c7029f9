import NIOCore

/// Streams of a client that are over, and of which it may have sent frames before it learned that.
struct ClosedStreamTracker {
    /// Streams that were answered while the client was still sending.
    private var lingering: Set<UInt32> = []
    /// Streams that the gate has reset, in the order in which it did.
    private var reset = CircularBuffer<UInt32>()
    private let most: Int

    /// `most`: resets that are remembered.
    init(most: Int) {
        self.most = most
    }

    /// Answered before it had ended; the client has a moment to learn of it.
    mutating func linger(_ stream: UInt32) {
        self.lingering.insert(stream)
    }

    /// The moment is over.
    ///
    /// - Returns: whether the client has not ended the stream itself.
    mutating func endLingering(_ stream: UInt32) -> Bool {
        self.lingering.remove(stream) != nil
    }

    mutating func wasReset(_ stream: UInt32) {
        self.reset.append(stream)
        if self.reset.count > self.most { self.reset.removeFirst() }
    }

    /// Whether frames of a stream that is over may have crossed the gate's answer or reset.
    ///
    /// `endsStream`: whether it is the client's last one.
    mutating func passesOver(_ stream: UInt32, endsStream: Bool) -> Bool {
        guard self.lingering.contains(stream) else { return self.reset.contains(stream) }
        if endsStream { self.lingering.remove(stream) }
        return true
    }
}
