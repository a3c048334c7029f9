import NIOCore

/// A frame of a peer whose form is in order; what it means is decided by whose connection it is.
enum HTTP2ReceivedFrame {
    /// `length`: the payload with its padding, which counts for flow control.
    case data(stream: UInt32, content: ByteBuffer, length: Int, endsStream: Bool)
    /// A header section has begun that more frames go on with.
    case headersBegun(stream: UInt32)
    /// The same section goes on, and still has not ended.
    case headersContinued
    /// A whole header section.
    case headers(HTTP2HeaderBlock)
    case reset(stream: UInt32, code: UInt32)
    case windowUpdate(stream: UInt32, increment: Int)
    case settings(ByteBuffer)
    case settingsAcknowledged
    case ping(ByteBuffer)
    case pingAcknowledged
    case goAway(last: UInt32, code: UInt32)
    /// A priority, which is not heeded, or a kind of frame that the gate does not know (RFC 9113 5.3
    /// and 4.1).
    case other
}
