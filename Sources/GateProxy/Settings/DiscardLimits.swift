package import NIOCore

/// The limits for reading and discarding the body of a denied request.
///
/// Many clients read the response only after they have sent the whole body.
package struct DiscardLimits: Equatable, Sendable {
    /// The maximum size, in bytes, of a body that is read completely before the response is sent.
    ///
    /// Over HTTP/1.1, the connection can then stay open. Over HTTP/2, a proxy that gets an early
    /// response would reset its client's stream.
    package var awaitedBytes: UInt64
    /// The maximum time to delay the response while such a body arrives.
    package var awaitedTime: TimeAmount
    /// The maximum number of bytes of a body to read and discard after the response.
    package var bytes: UInt64
    /// The maximum time to spend on reading a body after the response.
    package var time: TimeAmount

    /// 64 KiB within 1 s before the response, and 64 MiB within 30 s after it.
    ///
    /// This is enough for a whole photo, or for the beginning of a video.
    package static let defaults = DiscardLimits(awaitedBytes: 64 * 1024, bytes: 64 * 1024 * 1024)

    package init(
        awaitedBytes: UInt64,
        awaitedTime: TimeAmount = .seconds(1),
        bytes: UInt64,
        time: TimeAmount = .seconds(30)
    ) {
        self.awaitedBytes = awaitedBytes
        self.awaitedTime = awaitedTime
        self.bytes = bytes
        self.time = time
    }
}
