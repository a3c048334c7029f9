package import NIOCore

/// The limits for the rest of a request body after it is clear that the backend does not get it.
///
/// Many clients read an answer only when their whole body is sent, so that the gate reads the body and throws it away.
package struct DiscardLimits: Equatable, Sendable {
    /// The size in bytes of a body for which an answer over HTTP/1.1 waits, so that the connection can be kept.
    package var awaitedBytes: UInt64
    /// How long the answer waits for it.
    package var awaitedTime: TimeAmount
    /// The number of bytes of one body that are thrown away.
    package var bytes: UInt64
    /// How long one body is read after its answer.
    package var time: TimeAmount

    /// 64 KiB within a second before the answer; 64 MiB within 30 s after it, which is room for photos and the beginning
    /// of a video.
    package static let defaults = DiscardLimits(
        awaitedBytes: 64 * 1024,
        awaitedTime: .seconds(1),
        bytes: 64 * 1024 * 1024,
        time: .seconds(30)
    )

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
