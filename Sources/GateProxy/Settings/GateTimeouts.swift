package import NIOCore

/// The timeouts of the data plane, checked every 250 ms.
package struct GateTimeouts: Equatable, Sendable {
    /// The time limit for the first byte on a new connection, and for a request head from its first
    /// byte to its last.
    ///
    /// On expiry, the client gets 408. If nothing was received, the connection is closed without a response.
    package var head = TimeAmount.seconds(10)
    /// How long a connection may be idle between two requests before it is closed.
    package var idle = TimeAmount.seconds(75)
    /// The time to wait for each chunk of a request body; on expiry, the client gets 408.
    package var body = TimeAmount.seconds(30)
    /// The time limit for opening a connection to the backend.
    ///
    /// On expiry, the gate tries another address; if there is none, the client gets 504.
    package var connect = TimeAmount.seconds(5)
    /// The time to wait for the first byte of the response, and for each further chunk.
    ///
    /// On expiry, the gate retries a repeatable request once at another address. If it cannot retry the request, the
    /// client gets 504, or the response is aborted if it has started. If the backend has stopped reading the request,
    /// this timeout starts only once the `body` timeout has expired.
    package var response = TimeAmount.seconds(60)
    /// How long a WebSocket or other tunnel may carry no data in either direction before it is closed.
    package var tunnel = TimeAmount.hours(1)
    /// How long a backend connection may be idle before the gate closes it.
    ///
    /// This timeout is shorter than the usual timeouts of backends, so that the gate, not the
    /// backend, closes the connection.
    package var upstreamIdle = TimeAmount.seconds(4)
    /// How long an HTTP/2 backend with open streams may be silent before the gate sends a PING.
    ///
    /// The connection is closed if no response arrives within the same time, or within 20 s if that
    /// is shorter. The default allows for gRPC servers, which close connections that receive
    /// more than one PING in 5 minutes.
    package var upstreamPing = TimeAmount.minutes(5)
    /// How long a client that is still sending after the last response may pause before its
    /// connection is closed.
    package var linger = TimeAmount.seconds(5)

    package static let defaults = GateTimeouts()
}
