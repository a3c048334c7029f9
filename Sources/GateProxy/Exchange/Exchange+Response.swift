/// The events for the response and for discarded bytes.
extension Exchange {
    package enum ResponseHeadAction: Equatable {
        /// Forward a 1xx response, and wait for the final response.
        case forwardInterim
        /// Forward the head, and then the body.
        case forward(keepsClient: Bool)
        /// Forward the 101 response, and then all bytes.
        case tunnel
        /// The backend violated the protocol.
        case badGateway
        /// Discard the response, because no exchange waits for it.
        case discard
    }

    /// Handles a response head.
    ///
    /// `endsByClose` indicates whether the client connection must close after the response.
    package mutating func responseHead(
        status: Int,
        switchesAsOffered: Bool,
        endsByClose: Bool
    ) -> ResponseHeadAction {
        guard case .forwarding(var forwarding) = self, !forwarding.responseStarted else {
            return .discard
        }
        if status == 101 {
            guard forwarding.offersUpgrade, switchesAsOffered else { return .badGateway }
            self = .tunnel(Tunnel())
            return .tunnel
        }
        if status < 200 {
            forwarding.interims += 1
            // The backend has received the request.
            forwarding.retryable = false
            self = .forwarding(forwarding)
            return forwarding.interims <= Self.interimLimit ? .forwardInterim : .badGateway
        }
        if forwarding.isConnect, status < 300 { return .badGateway }
        forwarding.responseStarted = true
        forwarding.retryable = false
        forwarding.keepsClient = forwarding.keepsClient && !endsByClose
        self = .forwarding(forwarding)
        return .forward(keepsClient: forwarding.keepsClient)
    }

    package enum ResponseEndAction: Equatable {
        /// Reuse the backend connection, and read the next request.
        case next
        /// Close the backend connection, because the backend responded before the request had ended.
        case dropUpstream
        /// Half-close, and read until the client has closed the connection.
        case linger(upstreamIsReusable: Bool)
        case close
    }

    /// Handles the end of the response.
    ///
    /// `isStream` indicates whether the client uses HTTP/2, where `HTTP2Connection` discards the rest of the request
    /// body.
    package mutating func responseEnded(limits: DiscardLimits, isStream: Bool) -> ResponseEndAction
    {
        guard case .forwarding(let forwarding) = self else {
            self = .closed
            return .close
        }
        switch (forwarding.requestEnded, forwarding.keepsClient) {
        case (true, true):
            self = .idle
            return .next
        case (false, true) where isStream:
            self = .idle
            return .dropUpstream
        case (let requestEnded, _):
            self.linger(limits: limits)
            return .linger(upstreamIsReusable: requestEnded)
        }
    }

    package enum DiscardAction: Equatable {
        case goOn
        case close
    }

    /// Handles bytes that were received and discarded.
    package mutating func discarded(bytes count: Int) -> DiscardAction {
        switch self {
        case .lingering(var lingering) where UInt64(count) <= lingering.budget:
            lingering.budget -= UInt64(count)
            self = .lingering(lingering)
            return .goOn
        case .head, .idle, .forwarding, .awaitingBody, .awaitingMessage, .streaming, .lingering,
            .tunnel,
            .closed:
            self = .closed
            return .close
        }
    }
}
