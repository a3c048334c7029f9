package import NIOCore

/// The events that end an exchange early: a peer that closes its write side, refuses a request or violates the
/// protocol, and timeouts.
extension Exchange {
    package enum ClientEndAction: Equatable {
        /// The client sends nothing more, but still waits for a response.
        case finish
        case close
        /// Half-close the connection to the backend.
        case endUpstream
    }

    /// The client closed its write side.
    ///
    /// `hasMore` tells whether there are unprocessed bytes: the rest of the request, or another request (RFC 9112
    /// section 9.6).
    package mutating func clientEnded(hasMore: Bool) -> ClientEndAction {
        switch self {
        case .head where hasMore, .idle where hasMore:
            return .finish
        // The response has not been written yet.
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
        /// Close the connection before the end of the response, so that the client detects the
        /// truncation.
        case abort
        /// Half-close the connection to the client.
        case endClient
        /// The client has already closed its write side: write the remaining output and close.
        case closeClient
        case doNothing
    }

    /// The connection to the backend ended, cleanly or not, before the response was complete.
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

    /// The backend reported that it has not processed the request.
    ///
    /// Any request, regardless of its method, is then retried once.
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

    /// The backend violated the protocol; a retry would fail as well.
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
        /// The body that the response is held for timed out: write the response with `Connection: close`, and linger.
        case answerAndLinger
        case close
    }

    /// The timeout of the current state expired.
    ///
    /// `hasPartialHead` states whether part of a request head was received, and `upstreamStalls` whether the backend
    /// has stopped reading the request. `isRepeatable` states whether the whole request is kept and sending it again
    /// has no further effect. `limits` apply to a discarded body.
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

/// Ways to end a connection that do not depend on a request or a response.
extension Exchange {
    /// Shutdown has started: the current exchange is the last one on its connection, unless the client has already been
    /// told that another request may follow.
    package mutating func drain() {
        guard case .forwarding(var forwarding) = self, !forwarding.responseStarted else { return }
        forwarding.keepsClient = false
        self = .forwarding(forwarding)
    }

    /// The gate has sent its last response, and accepts no further requests.
    package mutating func linger(limits: DiscardLimits) {
        self = .lingering(Lingering(budget: Swift.max(limits.bytes, limits.awaitedBytes)))
    }

    /// The last response was written to the socket; the connection closes at `end`, whatever the client sends.
    package mutating func lastResponseWritten(end: NIODeadline) {
        guard case .lingering(var lingering) = self else { return }
        lingering.end = end
        self = .lingering(lingering)
    }

    /// The gate is closing the tunnel, and cuts it off at `end`.
    package mutating func endTunnel(by end: NIODeadline) {
        guard case .tunnel(var tunnel) = self else { return }
        tunnel.end = end
        self = .tunnel(tunnel)
    }

    /// Nothing more is read.
    package mutating func close() {
        self = .closed
    }
}
