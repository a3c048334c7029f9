import NIOCore

/// The content that was sent to an HTTP/2 backend, kept for a retry.
///
/// It is sent again if the backend reports that it has not processed the request (RFC 9113 section 8.7).
struct SentContent {
    /// The maximum number of bytes to keep.
    private static let limit = 64 * 1024

    private(set) var bytes = ByteBuffer()
    /// Whether the content exceeds the limit and is not kept.
    private(set) var isTooLong = false

    mutating func append(_ content: ByteBuffer) {
        guard !self.isTooLong else { return }
        guard self.bytes.readableBytes + content.readableBytes <= Self.limit else {
            self.isTooLong = true
            self.bytes = ByteBuffer()
            return
        }
        // Copied, because a slice would retain the whole receive buffer.
        self.bytes.writeImmutableBuffer(content)
    }
}
