package import NIOCore

/// The events that end an exchange early.
///
/// For example, a timeout expires, or a peer closes its write side, refuses a request or violates the protocol.
extension Exchange {
    package enum ClientEndAction: Equatable {
        /// Complete the exchange, because the client is still waiting for a response.
        case finish
        case close
        /// Half-close the connection to the backend.
        case endUpstream
    }

    /// Handles the end of the client's input, after the client has closed its write side.
    ///
    /// `hasMore` indicates whether there are unprocessed bytes, which are the rest of the request or another request
    /// (RFC 9112 section 9.6).
    package mutating func clientEnded(hasMore: Bool) -> ClientEndAction {
        switch self {
        case .head where hasMore, .idle where hasMore:
            return .finish
        // The response has not been written.
        case .awaitingBody, .awaitingMessage:
            return .finish
        case .forwarding where hasMore:
            return .finish
        case .forwarding(var forwarding) where forwarding.requestEnded:
            forwarding.keepsClient = false
            self = .forwarding(forwarding)
            return .finish
        case .tunnel(var tunnel) where !tunnel.upstreamEnded:
            tunnel.clientEnded = true
            self = .tunnel(tunnel)
            return .endUpstream
        case .head, .idle, .forwarding, .streaming, .lingering, .tunnel, .closed:
            self = .closed
            return .close
        }
    }

    package enum UpstreamEndAction: Equatable {
        /// Retry the request on a new connection.
        case retry
        case badGateway
        /// Close the connection before the end of the response, so that the client detects the truncation.
        case abort
        /// Half-close the connection to the client.
        case endClient
        /// Write the remaining output, and close, because the client has already closed its write side.
        case closeClient
        case doNothing
    }

    /// Handles the end of the backend connection, clean or not, before the response is complete.
    package mutating func upstreamEnded() -> UpstreamEndAction {
        switch self {
        case .forwarding(var forwarding) where forwarding.retryable:
            forwarding.retryable = false
            self = .forwarding(forwarding)
            return .retry
        case .forwarding(let forwarding) where !forwarding.responseStarted:
            return .badGateway
        case .forwarding:
            self = .closed
            return .abort
        case .tunnel(var tunnel) where !tunnel.clientEnded:
            tunnel.upstreamEnded = true
            self = .tunnel(tunnel)
            return .endClient
        case .tunnel:
            self = .closed
            return .closeClient
        case .head, .idle, .awaitingBody, .awaitingMessage, .streaming, .lingering, .closed:
            return .doNothing
        }
    }

    package enum UpstreamRefusalAction: Equatable {
        /// Retry the request on another connection.
        case retry
        case badGateway
        case doNothing
    }

    /// Handles the backend's report that it has not processed the request.
    ///
    /// The request is then retried once, regardless of its method.
    package mutating func upstreamRefused() -> UpstreamRefusalAction {
        guard case .forwarding(var forwarding) = self, !forwarding.responseStarted else {
            return .doNothing
        }
        guard !forwarding.wasRefused, forwarding.interims == 0 else { return .badGateway }
        forwarding.wasRefused = true
        forwarding.retryable = false
        self = .forwarding(forwarding)
        return .retry
    }

    package enum UpstreamFaultAction: Equatable {
        case badGateway
        case abort
        case doNothing
    }

    /// Handles a protocol violation by the backend.
    ///
    /// The request is not retried, because a retry would also fail.
    package mutating func upstreamViolatedProtocol() -> UpstreamFaultAction {
        switch self {
        case .forwarding(let forwarding) where !forwarding.responseStarted: return .badGateway
        case .forwarding, .tunnel:
            self = .closed
            return .abort
        case .head, .idle, .awaitingBody, .awaitingMessage, .streaming, .lingering, .closed:
            return .doNothing
        }
    }

    package enum TimeoutAction: Equatable {
        /// The client timed out while sending its head or body.
        case requestTimeout
        /// The backend timed out.
        case gatewayTimeout
        /// The backend timed out, and the request can be sent to another backend.
        case tryAnotherBackend
        /// The awaited body has timed out: write the held response with `Connection: close`, and linger.
        case answerAndLinger
        case close
    }

    /// Handles the expiry of the current state's timeout.
    ///
    /// `hasPartialHead` indicates whether part of a request head has been received. `upstreamStalls` indicates whether
    /// the backend has stopped reading the request. `isRepeatable` indicates whether the whole request is kept and is
    /// idempotent. `limits` apply to a discarded body.
    package mutating func timedOut(
        hasPartialHead: Bool,
        upstreamStalls: Bool,
        isRepeatable: Bool,
        limits: DiscardLimits
    ) -> TimeoutAction {
        switch self {
        case .awaitingBody:
            self.linger(limits: limits)
            return .answerAndLinger
        case .head where hasPartialHead, .idle where hasPartialHead, .awaitingMessage:
            return .requestTimeout
        case .forwarding(var forwarding) where isRepeatable && forwarding.mayTryAnotherBackend:
            forwarding.upstreamTimedOut = true
            forwarding.retryable = false
            self = .forwarding(forwarding)
            return .tryAnotherBackend
        case .forwarding(let forwarding) where !forwarding.responseStarted:
            return forwarding.requestEnded || upstreamStalls ? .gatewayTimeout : .requestTimeout
        case .head, .idle, .forwarding, .streaming, .lingering, .tunnel, .closed:
            self = .closed
            return .close
        }
    }
}

/// Methods that end a connection, rather than an exchange.
extension Exchange {
    /// Handles the start of the shutdown.
    ///
    /// The current exchange is the last one on its connection, unless the response has already indicated that another
    /// request may follow.
    package mutating func drain() {
        guard case .forwarding(var forwarding) = self, !forwarding.responseStarted else { return }
        forwarding.keepsClient = false
        self = .forwarding(forwarding)
    }

    /// Enters the lingering state, in which the gate accepts no more requests.
    package mutating func linger(limits: DiscardLimits) {
        self = .lingering(Lingering(budget: Swift.max(limits.bytes, limits.awaitedBytes)))
    }

    /// Records that the last response has been written to the socket.
    ///
    /// The connection closes at `end`, even if the client is still sending.
    package mutating func lastResponseWritten(end: NIODeadline) {
        guard case .lingering(var lingering) = self else { return }
        lingering.end = end
        self = .lingering(lingering)
    }

    /// Records that the gate is closing the tunnel, which is cut off at `end`.
    package mutating func endTunnel(by end: NIODeadline) {
        guard case .tunnel(var tunnel) = self else { return }
        tunnel.end = end
        self = .tunnel(tunnel)
    }

    /// Stops reading.
    package mutating func close() {
        self = .closed
    }
}
