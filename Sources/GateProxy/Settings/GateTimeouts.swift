package import NIOCore

/// How long the gate waits for others, checked every quarter of a second.
package struct GateTimeouts: Equatable, Sendable {
    /// From the first byte of a request head to its end, and from accept to the first byte; then
    /// 408, or a plain close if nothing was sent.
    package var head: TimeAmount
    /// Between two requests on a kept connection.
    package var idle: TimeAmount
    /// Between two pieces of a request body, while it is the client that is waited for.
    package var body: TimeAmount
    /// For the connection to the backend; then 504.
    package var connect: TimeAmount
    /// For the first byte of the response, between two pieces of it, and, from when `body` is over,
    /// while the backend takes nothing of a request; then 504 or an abort.
    package var response: TimeAmount
    /// Without a byte in either direction after a change of protocol (WebSocket).
    package var tunnel: TimeAmount
    /// For an idle pooled connection to the backend.
    ///
    /// Shorter than any backend's own, so that the gate and not the backend closes it.
    package var upstreamIdle: TimeAmount
    /// Without a byte from a backend over HTTP/2 while streams are open; then it is asked whether it
    /// is still there, and without an answer within as long again, 20 s at the most, it is not.
    ///
    /// Servers of gRPC end connections on which they are asked oftener than every 5 minutes.
    package var upstreamPing: TimeAmount
    /// Without a byte while a client that has its last answer goes on sending.
    package var linger: TimeAmount

    /// 10 s head, 75 s idle, 30 s body, 5 s connect, 60 s response, 1 h tunnel, 4 s pooled,
    /// 5 min until a silent backend is asked, 5 s linger.
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
