package import NIOCore

/// The events that end an exchange early: a side that closes, refuses or breaks the protocol, and timeouts.
extension Exchange {
    package enum ClientEndAction: Equatable {
        /// The client has said all; it still waits for an answer.
        case finish
        /// Nothing more can come of this connection.
        case close
        /// Close the backend's connection for writing.
        case endUpstream
    }

    /// The client closed its side.
    ///
    /// `hasMore`: whether something that it sent before is still to be looked at: the rest of the
    ///   request, or another one (RFC 9112 9.6).
    package mutating func clientEnded(hasMore: Bool) -> ClientEndAction {
        switch self {
        case .head where hasMore, .idle where hasMore:
            return .finish
        // The answer is still to be written.
        case .awaitingBody:
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
        /// Send the request again on a new connection.
        case retry
        case badGateway
        /// Close without an end, so that the client sees that something is missing.
        case abort
        /// Close the client's connection for writing.
        case endClient
        /// The client has closed its side before: write what is left, and close.
        case closeClient
        case doNothing
    }

    /// The backend's connection ended, in order or not, before its response was complete.
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
        case .head, .idle, .awaitingBody, .streaming, .lingering, .closed:
            return .doNothing
        }
    }

    package enum UpstreamRefusalAction: Equatable {
        /// Send the request again on another connection.
        case retry
        case badGateway
        case doNothing
    }

    /// The backend says that it has not looked at the request.
    ///
    /// Nothing can have been processed, whatever the method is: it is tried once more.
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

    /// The backend broke the protocol; asking it again would only repeat that.
    package mutating func upstreamBroke() -> UpstreamFaultAction {
        switch self {
        case .forwarding(let forwarding) where !forwarding.responseStarted: return .badGateway
        case .forwarding, .tunnel:
            self = .closed
            return .abort
        case .head, .idle, .awaitingBody, .streaming, .lingering, .closed: return .doNothing
        }
    }

    package enum TimeoutAction: Equatable {
        /// The client took too long with its head or body.
        case requestTimeout
        /// The backend took too long.
        case gatewayTimeout
        /// The backend took too long, and another one may have the request.
        case askAnother
        /// The body that the response waits for is overdue: write the response with `Connection: close`, and linger.
        case answerAndLinger
        case close
    }

    /// Nothing has happened for as long as the state allows.
    ///
    /// - Parameters:
    ///   - hasPartialHead: Whether a part of a request has come.
    ///   - upstreamStalls: Whether it is the backend that takes no more of the request.
    ///   - isRepeatable: Whether the whole request is kept, and has no effect by being repeated.
    ///   - limits: The limits for a body that is thrown away.
    /// - Returns: what is to be done about it.
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
        case .head where hasPartialHead, .idle where hasPartialHead: return .requestTimeout
        case .forwarding(var forwarding) where isRepeatable && forwarding.mayAskAnother:
            forwarding.metSilence = true
            forwarding.retryable = false
            self = .forwarding(forwarding)
            return .askAnother
        case .forwarding(let forwarding) where !forwarding.responseStarted:
            return forwarding.requestEnded || upstreamStalls ? .gatewayTimeout : .requestTimeout
        case .head, .idle, .forwarding, .streaming, .lingering, .tunnel, .closed:
            self = .closed
            return .close
        }
    }
}

/// The end of a connection that is not brought about by what its request or answer says.
extension Exchange {
    /// The gate is about to stop: what is under way is the last on its connection, if the client was
    /// not told already that another request may follow.
    package mutating func drain() {
        guard case .forwarding(var forwarding) = self, !forwarding.responseStarted else { return }
        forwarding.keepsClient = false
        self = .forwarding(forwarding)
    }

    /// The gate has said its last, and takes no request any more.
    package mutating func linger(limits: DiscardLimits) {
        self = .lingering(Lingering(budget: Swift.max(limits.bytes, limits.awaitedBytes)))
    }

    /// The last answer is with the client's kernel: from now on it is only waited for.
    ///
    /// - Parameter end: when that is over, whatever the client sends.
    package mutating func lastWasWritten(end: NIODeadline) {
        guard case .lingering(var lingering) = self else { return }
        lingering.end = end
        self = .lingering(lingering)
    }

    /// The tunnel was told to end, which has until then.
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
