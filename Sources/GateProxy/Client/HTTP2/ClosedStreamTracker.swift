import GateWire
import NIOCore

/// Streams of a client that are over, and of which it may have sent frames before it learned that.
struct ClosedStreamTracker {
    /// Streams that were answered while the client was still sending, with the length that it has announced.
    private var lingering: [UInt32: AnnouncedLength?] = [:]
    /// Streams that the gate has reset, in the order in which it did.
    private var reset = CircularBuffer<UInt32>()
    private let most: Int

    /// `most`: resets that are remembered.
    init(most: Int) {
        self.most = most
    }

    /// Answered before it had ended; the client has a moment to learn of it.
    ///
    /// `length`: the bytes of the body that the client may still send; `nil`: any number.
    mutating func linger(_ stream: UInt32, length: AnnouncedLength?) {
        self.lingering.updateValue(length, forKey: stream)
    }

    /// The moment is over.
    ///
    /// - Returns: whether the client has not ended the stream itself.
    mutating func endLingering(_ stream: UInt32) -> Bool {
        self.lingering.removeValue(forKey: stream) != nil
    }

    mutating func wasReset(_ stream: UInt32) {
        self.lingering.removeValue(forKey: stream)
        self.reset.append(stream)
        if self.reset.count > self.most { self.reset.removeFirst() }
    }

    /// A frame of the client behind the head of its request.
    enum Frame {
        /// So many bytes of the body.
        case data(Int)
        /// `isSection`: whether they are what trailers may be.
        case trailers(isSection: Bool)
    }

    /// Whether a frame of a stream that is over may have crossed the gate's answer or reset.
    ///
    /// `isLast`: whether it ends the stream.
    ///
    /// Throws `PROTOCOL_ERROR` for what is malformed before an answer, too: more bytes than announced, or
    /// trailers that are none. Fewer bytes are none: a client that has its answer may end the request at once, as
    /// curl does.
    mutating func passesOver(
        _ frame: Frame,
        of stream: UInt32,
        isLast: Bool
    ) throws(HTTP2ErrorCode) -> Bool {
        guard let length = self.lingering[stream] else { return self.reset.contains(stream) }
        var count = 0
        switch frame {
        case .data(let bytes): count = bytes
        // Nothing can follow trailers (RFC 9113 8.1).
        case .trailers(let isSection): guard isLast, isSection else { throw .protocolError }
        }
        if var length {
            try length.take(count, isLast: false)
            self.linger(stream, length: length)
        }
        if isLast { self.lingering.removeValue(forKey: stream) }
        return true
    }
}
