package import NIOCore

/// The timeouts of the data plane, checked every 250 ms.
package struct GateTimeouts: Equatable, Sendable {
    /// From the first byte of a request head to its end, and from accepting a connection to the
    /// first byte.
    ///
    /// When it expires, the client gets 408, or the connection is closed without a response if
    /// nothing was received.
    package var head: TimeAmount
    /// Between two requests on a connection.
    package var idle: TimeAmount
    /// Between two chunks of a request body, while the gate waits for the client.
    package var body: TimeAmount
    /// For opening a connection to the backend; then 504.
    package var connect: TimeAmount
    /// For the first byte of the response, and between two chunks of it; then 504 or an abort.
    ///
    /// While the backend does not read the request, this timeout starts after the `body` timeout.
    package var response: TimeAmount
    /// Without data in either direction after a protocol switch, such as to WebSocket.
    package var tunnel: TimeAmount
    /// For an idle connection to the backend.
    ///
    /// It is shorter than the usual timeouts of backends, so that the gate and not the backend
    /// closes the connection.
    package var upstreamIdle: TimeAmount
    /// Without data from an HTTP/2 backend with open streams; then the gate sends a PING.
    ///
    /// If there is no response within the same time, or within 20 s if that is shorter, the
    /// connection is closed. gRPC servers close connections that receive more than one PING in 5
    /// minutes.
    package var upstreamPing: TimeAmount
    /// Without data from a client that still sends data after the last response.
    package var linger: TimeAmount

    /// 10 s head, 75 s idle, 30 s body, 5 s connect, 60 s response, 1 h tunnel, 4 s idle backend
    /// connection, 5 min until a PING, 5 s linger.
    package static let defaults = GateTimeouts(
        head: .seconds(10),
        idle: .seconds(75),
        body: .seconds(30),
        connect: .seconds(5),
        response: .seconds(60),
        tunnel: .hours(1),
        upstreamIdle: .seconds(4),
        upstreamPing: .minutes(5),
        linger: .seconds(5)
    )
}
