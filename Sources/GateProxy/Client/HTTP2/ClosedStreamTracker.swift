import GateWire
import NIOCore

/// Streams of a client that are over, and of which it may have sent frames before it learned that.
struct ClosedStreamTracker {
    /// Streams that were answered while the client was still sending.
    var unfinished = UnfinishedRequests()
    /// Streams that the gate has reset, in the order in which it did.
    private var reset = CircularBuffer<UInt32>()
    private let most: Int

    /// `most`: resets that are remembered.
    init(most: Int) {
        self.most = most
    }

    mutating func wasReset(_ stream: UInt32) {
        self.unfinished[stream] = nil
        self.reset.append(stream)
        if self.reset.count > self.most { self.reset.removeFirst() }
    }

    /// A frame of the client behind the head of its request.
    enum Frame {
        /// So many bytes of the body; `length`: with their padding, which counts for flow control.
        case data(Int, length: Int)
        /// `isSection`: whether they are what trailers may be.
        case trailers(isSection: Bool)
    }

    /// Whether a frame of a stream that is over may have crossed the gate's answer or reset.
    ///
    /// `isLast`: whether it ends the stream.
    ///
    /// Throws `PROTOCOL_ERROR` for what is malformed before an answer, too: more bytes than announced, or
    /// trailers that are none; `FLOW_CONTROL_ERROR` for more bytes than there was room for. Fewer bytes than announced are
    /// none: a client that has its answer may end the request at once, as curl does.
    mutating func passesOver(
        _ frame: Frame,
        of stream: UInt32,
        isLast: Bool
    ) throws(HTTP2ErrorCode) -> Bool {
        guard var entry = self.unfinished[stream] else { return self.reset.contains(stream) }
        switch frame {
        case .data(let bytes, let length):
            try entry.length?.take(bytes, isLast: false)
            guard entry.window.receive(length) else { throw .flowControlError }
        // Nothing can follow trailers (RFC 9113 8.1).
        case .trailers(let isSection): guard isLast, isSection else { throw .protocolError }
        }
        self.unfinished[stream] = isLast ? nil : entry
        return true
    }
}
