import NIOCore

/// A header section, in one frame or as far as it has come (RFC 9113 4.3).
struct HTTP2HeaderBlock {
    /// More frames than any header section needs (CVE-2024-27316 and its like).
    private static let maxFrames = 64

    let stream: UInt32
    let endsStream: Bool
    private(set) var bytes: ByteBuffer
    private var frames = 1

    init(stream: UInt32, endsStream: Bool, bytes: ByteBuffer) {
        self.stream = stream
        self.endsStream = endsStream
        self.bytes = bytes
    }

    /// Whether it came in more frames than one.
    var isSplit: Bool { self.frames > 1 }

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
