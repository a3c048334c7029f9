package import NIOCore

/// The limits of the admin listener.
///
/// Each phase of a connection (see `AdminPhase`) has its own limit, so that clients that fill one phase cannot
/// block clients in other phases. A limit "for each audience" applies to each `AdminAudience` separately.
package struct AdminLimits: Sendable {
    /// The maximum number of connections that wait for a request head, including connections between two
    /// requests.
    package var waiting = 256
    /// The maximum number of connections with an incomplete request body, for each audience.
    package var receiving = 16
    /// The maximum number of requests in progress other than probes, for each audience.
    package var working = 32
    /// The maximum number of connections whose client has not read the whole response, for each audience.
    package var sending = 32
    /// The maximum number of probes that wait for the event loops of the data plane.
    package var probing = 64
    /// The maximum number of connections that are being closed while the client still sends.
    package var draining = 32
    /// The maximum number of event streams.
    package var streams = 16

    /// The maximum size of a request head in bytes.
    package var headBytes = 16 << 10
    /// The maximum number of header fields in a request.
    package var headerCount = 100
    /// The maximum size of a request body in bytes.
    package var bodyBytes = 1 << 20
    /// The number of bytes that are read and discarded after a final response, so that a client that sends its
    /// whole request first can read the response.
    package var drainedBytes = 32 << 20

    /// The timeout for the first request head of a connection.
    package var head = TimeAmount.seconds(5)
    /// The timeout for each subsequent request head, measured from the end of the previous
    /// response.
    package var idle = TimeAmount.seconds(30)
    /// The timeout for a request body.
    package var body = TimeAmount.seconds(10)
    /// The timeout for processing a request, and for the client to read the response.
    package var answer = TimeAmount.seconds(30)
    /// The maximum time for draining a closing connection.
    package var drain = TimeAmount.seconds(10)

    /// The interval at which the gate's state is checked for changes while event streams are open.
    package var eventInterval = TimeAmount.milliseconds(500)

    /// The maximum number of connections in the kernel's accept queue.
    package var backlog: Int32 = 1024

    package static let defaults = AdminLimits()

    /// The maximum number of connections in all phases.
    package var connections: Int {
        let audiences = AdminAudience.allCases.count
        return self.waiting + (self.receiving + self.working + self.sending) * audiences
            + self.probing + self.draining + self.streams
    }

    /// Returns these limits, lowered to fit a descriptor limit; most descriptors are reserved for the data plane.
    package func fitting(descriptors: UInt64?) -> AdminLimits {
        guard let descriptors else { return self }
        var limits = self
        limits.waiting = min(self.waiting, max(16, Int(clamping: descriptors / 16)))
        limits.draining = min(self.draining, max(8, Int(clamping: descriptors / 64)))
        return limits
    }
}

/// The kind of clients that an endpoint serves.
///
/// Limits apply per audience, so that requests from one audience never wait for requests from another audience.
enum AdminAudience: Sendable, Hashable, CaseIterable {
    /// Probes and webhooks, which need no token.
    case open
    /// Read requests from operators: the page, metrics, the API.
    case questions
    /// Changes to the gate: an undo and its preview, a reload, a reset of the breaker.
    case changes
}
