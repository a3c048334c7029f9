package import NIOCore

/// The most that the admin listener takes of a client before it turns away.
package struct AdminLimits: Sendable {
    /// Connections at the same time.
    package var connections = 32
    /// Bytes of a request head.
    package var headBytes = 16 << 10
    /// Header fields of a request.
    package var headerCount = 100
    /// Bytes of a request body.
    package var bodyBytes = 1 << 20
    /// Bytes that are read beyond an answer that came early, so that the client gets to see it.
    package var discardedBytes = 4 << 20
    /// How long a connection may wait for a request head.
    package var idle = TimeAmount.seconds(30)
    /// How long a request body may take.
    package var body = TimeAmount.seconds(10)
    /// How long an answer may take, until the client has it.
    package var answer = TimeAmount.seconds(30)

    /// The time for which a change may go unnoticed by a page that listens.
    package var eventInterval = TimeAmount.milliseconds(500)

    package static let defaults = AdminLimits()
}
