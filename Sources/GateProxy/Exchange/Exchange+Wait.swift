package import NIOCore

/// The timeout of the current state.
extension Exchange {
    /// The event that a connection waits for, which determines its timeout.
    package enum Wait: Equatable, Sendable {
        /// The rest of a request head, or the whole first head.
        case head
        /// The next request.
        case request
        /// The next chunk of a request body.
        case body
        /// A connection to the backend, for which the pool enforces the timeout.
        case connection
        /// The response from the backend, or its next chunk.
        case response
        /// The next bytes from either side of a tunnel.
        case tunnel
        /// The rest of the request body for which a response is held.
        case awaitedBody
        /// More bytes to discard, at most until a deadline.
        case rest(until: NIODeadline)
        /// The delivery of the last bytes to the client.
        case lastBytes
        /// The next heartbeat of an event stream.
        case heartbeat
    }

    @inline(__always)
    package var wait: Wait {
        switch self {
        case .head: .head
        case .idle: .request
        case .forwarding(let forwarding) where forwarding.isConnecting: .connection
        case .forwarding(let forwarding):
            forwarding.requestEnded || forwarding.responseStarted ? .response : .body
        case .awaitingBody: .awaitedBody
        case .awaitingMessage: .body
        case .lingering(let lingering):
            lingering.end.map { .rest(until: $0) } ?? .lastBytes
        case .streaming: .heartbeat
        case .tunnel(let tunnel): tunnel.end.map { .rest(until: $0) } ?? .tunnel
        case .closed: .lastBytes
        }
    }
}
