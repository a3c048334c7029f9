import GateWire
import NIOCore

/// The ended streams of a client for which frames may still be in transit.
struct ClosedStreamTracker {
    /// Streams whose response was complete before the request.
    var unfinished = UnfinishedRequests()
    /// Streams that the gate has reset, oldest first.
    private var reset = CircularBuffer<UInt32>()
    private let most: Int

    /// Creates an empty tracker that remembers at most `most` resets.
    init(most: Int) {
        self.most = most
    }

    mutating func wasReset(_ stream: UInt32) {
        self.unfinished[stream] = nil
        self.reset.append(stream)
        if self.reset.count > self.most { self.reset.removeFirst() }
    }

    /// A frame from the client after the head of its request.
    enum Frame {
        /// Content, as a number of bytes.
        ///
        /// `length` is the length of the payload including padding, all of which counts toward the flow-control window.
        case data(Int, length: Int)
        /// Trailer fields; `isSection` indicates whether they are a valid trailer section.
        case trailers(isSection: Bool)
    }

    /// Returns whether the client may still send the given frame on an ended stream.
    ///
    /// `isLast` indicates whether the frame ends the stream.
    ///
    /// Throws `PROTOCOL_ERROR` for a malformed request (more bytes than announced, or invalid trailers), and
    /// `FLOW_CONTROL_ERROR` for more bytes than the window permits. Fewer bytes than announced are not an error,
    /// because a client that has received the response may end the request at once, as curl does.
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
        // No frame may follow the trailer section (RFC 9113 section 8.1).
        case .trailers(let isSection): guard isLast, isSection else { throw .protocolError }
        }
        self.unfinished[stream] = isLast ? nil : entry
        return true
    }
}
