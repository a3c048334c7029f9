package import NIOCore

/// The limits of the admin listener.
///
/// Each phase of a connection has a limit of its own, so that a client that holds connections in one phase cannot
/// keep others from being served: `AdminPhase` has the phases. A limit "for each audience" applies to each
/// `AdminAudience` separately.
package struct AdminLimits: Sendable {
    /// The number of connections that wait for a request head, those between two requests included.
    package var waiting = 256
    /// The number of connections whose request body is incomplete, for each audience.
    package var receiving = 16
    /// The number of requests that are being worked on, without probes, for each audience.
    package var working = 32
    /// The number of connections whose client has not read the whole response yet, for each audience.
    package var sending = 32
    /// The number of probes that wait for the event loops of the data plane.
    package var probing = 64
    /// The number of connections that are being closed while the client still sends.
    package var draining = 32
    /// The number of event streams.
    package var streams = 16

    /// Bytes of a request head.
    package var headBytes = 16 << 10
    /// Header fields of a request.
    package var headerCount = 100
    /// Bytes of a request body.
    package var bodyBytes = 1 << 20
    /// Bytes that are read and discarded after a response that ends the connection, so that a client that
    /// sends its whole request before it reads gets to see the response.
    package var drainedBytes = 32 << 20

    /// The time for the first request head of a connection.
    package var head = TimeAmount.seconds(5)
    /// The time for each further request head, from the end of the last response.
    package var idle = TimeAmount.seconds(30)
    /// The time for a request body.
    package var body = TimeAmount.seconds(10)
    /// The time for the work on a request, and for the client to read the response.
    package var answer = TimeAmount.seconds(30)
    /// The time for which a connection is drained.
    package var drain = TimeAmount.seconds(10)

    /// The time for which a change may go unnoticed by a page that listens.
    package var eventInterval = TimeAmount.milliseconds(500)

    /// The number of connections that may wait in the kernel until they are accepted.
    package var backlog: Int32 = 1024

    package static let defaults = AdminLimits()

    /// The number of connections at the same time, over all phases.
    package var connections: Int {
        let audiences = AdminAudience.allCases.count
        return self.waiting + (self.receiving + self.working + self.sending) * audiences
            + self.probing + self.draining + self.streams
    }

    /// The same limits, lowered for a process that may open only so many descriptors, most of which are for
    /// the data plane.
    package func fitting(descriptors: UInt64?) -> AdminLimits {
        guard let descriptors else { return self }
        var limits = self
        limits.waiting = min(self.waiting, max(16, Int(clamping: descriptors / 16)))
        limits.draining = min(self.draining, max(8, Int(clamping: descriptors / 64)))
        return limits
    }
}

/// The clients that an endpoint is for.
///
/// Limits are per audience, so that requests of one never wait for those of another.
enum AdminAudience: Sendable, Hashable, CaseIterable {
    /// Probes and webhooks, which need no token.
    case open
    /// Questions of operators: the page, metrics, the API.
    case questions
    /// Changes of the gate: an undo and its preview, a reload, a reset of the breaker.
    case changes
}
