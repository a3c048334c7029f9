/// The events of the response, and of bytes that are discarded.
extension Exchange {
    package enum ResponseHeadAction: Equatable {
        /// Pass a 1xx on and wait for the real answer.
        case forwardInterim
        /// Pass the head on; its body follows.
        case forward(keepsClient: Bool)
        /// Pass the 101 on and then every byte.
        case tunnel
        /// The backend broke the protocol.
        case badGateway
        /// Nobody waits for it.
        case discard
    }

    /// A response head was read.
    ///
    /// `framedByClose`: whether the body lasts until the backend closes, so that the
    ///   client, too, learns of its end by a close.
    package mutating func responseHead(
        status: Int,
        switchesAsOffered: Bool,
        framedByClose: Bool
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
            // The backend has seen the request.
            forwarding.retryable = false
            self = .forwarding(forwarding)
            return forwarding.interims <= Self.interimLimit ? .forwardInterim : .badGateway
        }
        if forwarding.isConnect, status < 300 { return .badGateway }
        forwarding.responseStarted = true
        forwarding.retryable = false
        forwarding.keepsClient = forwarding.keepsClient && !framedByClose
        self = .forwarding(forwarding)
        return .forward(keepsClient: forwarding.keepsClient)
    }

    package enum ResponseEndAction: Equatable {
        /// The connection to the backend may serve again; read the next request.
        case next
        /// The backend answered before the request had ended: its connection is of no more use,
        /// the rest of the request is read away.
        case discardRequest
        /// Close for writing, read until the client has closed.
        case linger(upstreamIsReusable: Bool)
        case close
    }

    /// The last byte of the response was read.
    package mutating func responseEnded(limits: DiscardLimits) -> ResponseEndAction {
        guard case .forwarding(let forwarding) = self else {
            self = .closed
            return .close
        }
        switch (forwarding.requestEnded, forwarding.keepsClient) {
        case (true, true):
            self = .idle
            return .next
        case (false, true):
            self = .discarding(budget: limits.lingerBytes)
            return .discardRequest
        case (let requestEnded, false):
            self = .lingering(Lingering(budget: limits.lingerBytes))
            return .linger(upstreamIsReusable: requestEnded)
        }
    }

    package enum DiscardAction: Equatable {
        case goOn
        case close
    }

    /// Bytes that nobody wants were read.
    package mutating func discarded(bytes count: Int) -> DiscardAction {
        switch self {
        case .discarding(let budget) where UInt64(count) <= budget:
            self = .discarding(budget: budget - UInt64(count))
            return .goOn
        case .lingering(var lingering) where UInt64(count) <= lingering.budget:
            lingering.budget -= UInt64(count)
            self = .lingering(lingering)
            return .goOn
        case .head, .idle, .forwarding, .streaming, .discarding, .lingering, .tunnel, .closed:
            self = .closed
            return .close
        }
    }
}
