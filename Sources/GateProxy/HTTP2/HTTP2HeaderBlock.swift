import NIOCore

/// A header section whose end is still to come (RFC 9113 4.3).
struct HTTP2HeaderBlock {
    /// More frames than any header section needs (CVE-2024-27316 and its like).
    private static let maxFrames = 64

    var stream: UInt32
    var endsStream: Bool
    private(set) var bytes: ByteBuffer
    private var frames = 1

    init(stream: UInt32, endsStream: Bool, bytes: ByteBuffer) {
        self.stream = stream
        self.endsStream = endsStream
        self.bytes = bytes
    }

    /// Takes in one more frame.
    ///
    /// `limit`: bytes of the whole section.
    mutating func append(_ payload: ByteBuffer, limit: Int) throws(HTTP2ErrorCode) {
        self.frames += 1
        self.bytes.writeImmutableBuffer(payload)
        guard self.frames <= Self.maxFrames, self.bytes.readableBytes <= limit else {
            throw .enhanceYourCalm
        }
    }
}
