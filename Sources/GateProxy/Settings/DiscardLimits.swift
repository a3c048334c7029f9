/// How much of a body that nobody wants is read before the connection is given up.
package struct DiscardLimits: Equatable, Sendable {
    /// Bytes of a refused request that are read so that the connection can be kept.
    package var keepAliveBytes: UInt64
    /// Bytes that are read after the last answer, until the client has seen it.
    package var lingerBytes: UInt64

    /// 64 KiB and 256 MiB.
    package static let defaults = DiscardLimits(
        keepAliveBytes: 64 * 1024,
        lingerBytes: 256 * 1024 * 1024
    )

    package init(keepAliveBytes: UInt64, lingerBytes: UInt64) {
        self.keepAliveBytes = keepAliveBytes
        self.lingerBytes = lingerBytes
    }
}
