package import NIOCore

/// The deadline that runs.
extension Exchange {
    /// For which event a connection waits, and so for how long it may.
    package enum Wait: Equatable, Sendable {
        /// The rest of a head, or all of the first one.
        case head
        /// The next request.
        case request
        /// The next piece of a request's body.
        case body
        /// A connection to the backend, whose time is the pool's matter.
        case connection
        /// The backend's answer, or the next piece of it.
        case response
        /// The next bytes of either side of a tunnel.
        case tunnel
        /// The rest of a small body that a response waits for.
        case smallBody
        /// The next piece of what is thrown away, until the end at most.
        case rest(until: NIODeadline)
        /// The client, which has yet to take the last bytes.
        case lastBytes
        /// The gate itself: the next sign of life in a stream of events.
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
