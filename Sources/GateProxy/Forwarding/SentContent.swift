import NIOCore

/// The content of a request that was sent to a backend of HTTP/2: it is sent once more if that says that it has not
/// looked at it (RFC 9113 8.7).
struct SentContent {
    /// Longer content is not kept, in bytes.
    private static let limit = 64 * 1024

    private(set) var bytes = ByteBuffer()
    /// Whether more was sent than is kept.
    private(set) var isTooLong = false

    mutating func append(_ content: ByteBuffer) {
        guard !self.isTooLong else { return }
        guard self.bytes.readableBytes + content.readableBytes <= Self.limit else {
            self.isTooLong = true
            self.bytes = ByteBuffer()
            return
        }
        // A copy: a small piece would hold on to all that was received with it.
        self.bytes.writeImmutableBuffer(content)
    }
}
