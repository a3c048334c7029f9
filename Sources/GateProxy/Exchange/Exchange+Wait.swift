package import NIOCore

/// The timeout that applies.
extension Exchange {
    /// The event that a connection waits for, which determines its timeout.
    package enum Wait: Equatable, Sendable {
        /// The rest of a head, or the whole first head.
        case head
        /// The next request.
        case request
        /// The next chunk of a request body.
        case body
        /// A connection to the backend, whose timeout is the responsibility of the pool.
        case connection
        /// The response of the backend, or the next chunk of it.
        case response
        /// The next bytes of either side of a tunnel.
        case tunnel
        /// The rest of a small body that a response waits for.
        case smallBody
        /// The next bytes to discard, at most until a deadline.
        case rest(until: NIODeadline)
        /// The client, which has not yet received the last bytes.
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
        case .awaitingBody: .smallBody
        case .lingering(let lingering):
            lingering.end.map { .rest(until: $0) } ?? .lastBytes
        case .streaming: .heartbeat
        case .tunnel(let tunnel): tunnel.end.map { .rest(until: $0) } ?? .tunnel
        case .closed: .lastBytes
        }
    }
}
