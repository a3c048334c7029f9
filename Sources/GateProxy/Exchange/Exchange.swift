package import NIOCore

/// One client connection, seen as the request that is on it and that request's answer: what may
/// come next, and what must be done about it.
///
/// It holds no byte and no socket. Every event has its own list of actions; where a peer can bring
/// about a combination that makes no sense, the answer is to close, never to trap.
package enum Exchange: Equatable, Sendable {
    /// Waiting for the first request head, or in the middle of one.
    case head
    /// Waiting for another request, of which nothing has come.
    case idle
    /// The request goes to the backend and its answer to the client.
    case forwarding(Forwarding)
    /// Answered; the rest of the request's body is read and thrown away, then the next one comes.
    case discarding(budget: UInt64)
    /// Answered for the last time; what the client still sends is thrown away, so that it can read the
    /// answer instead of finding the connection reset.
    case lingering(Lingering)
    /// The gate itself tells the client whatever changes; the client has nothing more to say.
    case streaming
    /// The protocol was changed: bytes in both directions, whatever they mean (RFC 9110 7.8).
    case tunnel(Tunnel)
    /// Nothing more is read; what was written may still be on its way.
    case closed

    /// A request that was passed on.
    package struct Forwarding: Equatable, Sendable {
        package var requestEnded: Bool
        /// Whether a connection to the backend is being opened.
        package var isConnecting = false
        package var responseStarted = false
        /// Whether the client may send another request afterwards.
        package var keepsClient: Bool
        /// Whether the same bytes may be sent again: the request has no effect by being repeated
        /// and went out on a connection that an earlier exchange had left open.
        package var retryable: Bool
        package var offersUpgrade: Bool
        /// Whether the client takes any 2xx for the beginning of a tunnel (RFC 9110 9.3.6).
        package var isConnect: Bool
        /// 1xx answers so far.
        package var interims = 0
        /// Whether a backend has refused to look at it (RFC 9113 8.7).
        package var wasRefused = false
        /// Whether a backend has kept silent about it until its time was over.
        package var metSilence = false

        package init(
            requestEnded: Bool,
            isConnecting: Bool = false,
            responseStarted: Bool = false,
            keepsClient: Bool,
            retryable: Bool,
            offersUpgrade: Bool,
            isConnect: Bool = false,
            interims: Int = 0
        ) {
            self.requestEnded = requestEnded
            self.isConnecting = isConnecting
            self.responseStarted = responseStarted
            self.keepsClient = keepsClient
            self.retryable = retryable
            self.offersUpgrade = offersUpgrade
            self.isConnect = isConnect
            self.interims = interims
        }

        /// Whether a backend that keeps silent may have been the wrong one to ask.
        fileprivate var mayAskAnother: Bool {
            self.requestEnded && !self.isConnecting && !self.responseStarted && !self.metSilence
                && self.interims == 0
        }
    }

    package struct Tunnel: Equatable, Sendable {
        package var clientEnded = false
        package var upstreamEnded = false
        /// When it is cut off, if it was told to end.
        package var end: NIODeadline?
    }

    package struct Lingering: Equatable, Sendable {
        /// Bytes that are thrown away at most.
        package var budget: UInt64
        /// When it is over, whatever the client sends; `nil`: the answer is still on its way.
        package var end: NIODeadline?

        package init(budget: UInt64, end: NIODeadline? = nil) {
            self.budget = budget
            self.end = end
        }
    }

    /// More interim answers than any backend has a reason to send.
    package static let interimLimit = 64
}

extension Exchange {
    /// How much of a refused request is still to come.
    package enum RemainingBody: Equatable, Sendable {
        case nothing
        /// Bytes that are known to come.
        case bytes(UInt64)
        /// A chunked body, or one that may never come (`Expect`).
        case unknown
    }

    package enum AnswerAction: Equatable {
        /// Write the answer; the next request follows.
        case answer
        /// Write the answer, read the body away, go on.
        case answerAndDiscard
        /// Write the answer with `Connection: close`, close for writing, read until the end.
        case answerAndLinger
    }

    /// The gate itself answers the request whose head was just read, or has failed to pass on.
    package mutating func answer(
        keepsClient: Bool,
        remaining: RemainingBody,
        limits: DiscardLimits
    ) -> AnswerAction {
        switch (keepsClient, remaining) {
        case (true, .nothing):
            self = .idle
            return .answer
        case (true, .bytes(let count)) where count <= limits.keepAliveBytes:
            self = .discarding(budget: count)
            return .answerAndDiscard
        case (true, .bytes), (true, .unknown), (false, _):
            self = .lingering(Lingering(budget: limits.lingerBytes))
            return .answerAndLinger
        }
    }

    /// Whether a request could be read next.
    package var isBetweenRequests: Bool {
        switch self {
        case .head, .idle: true
        case .forwarding, .streaming, .discarding, .lingering, .tunnel, .closed: false
        }
    }

    /// Another request is served, whose head is read elsewhere.
    package mutating func begin() {
        self = .head
    }

    /// A part of a head was read.
    ///
    /// - Returns: whether it is the first of it, whose time begins.
    package mutating func headBegan() -> Bool {
        guard case .idle = self else { return false }
        self = .head
        return true
    }

    /// A request head was read and allowed.
    package mutating func forward(_ forwarding: Forwarding) {
        self = .forwarding(forwarding)
    }

    /// The request whose head was just read is answered without an end.
    package mutating func stream() {
        self = .streaming
    }

    /// The request waits for a connection to the backend, or has it now.
    package mutating func setConnecting(_ isConnecting: Bool) {
        guard case .forwarding(var forwarding) = self else { return }
        forwarding.isConnecting = isConnecting
        self = .forwarding(forwarding)
    }

    /// The request went out on a connection that an earlier exchange had left open: if that turns
    /// out to be closed, the backend has seen nothing of it.
    package mutating func allowRetry() {
        guard case .forwarding(var forwarding) = self, forwarding.requestEnded else { return }
        forwarding.retryable = true
        self = .forwarding(forwarding)
    }

    package enum RequestEndAction: Equatable {
        /// The answer is on its way or still to come.
        case wait
        /// The rest of a refused request is gone: read the next one.
        case next
    }

    /// The last byte of the request was read.
    package mutating func requestEnded() -> RequestEndAction {
        switch self {
        case .forwarding(var forwarding):
            forwarding.requestEnded = true
            self = .forwarding(forwarding)
            return .wait
        case .discarding:
            self = .idle
            return .next
        case .head, .idle, .streaming, .lingering, .tunnel, .closed:
            return .wait
        }
    }
}

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
        case .head, .idle, .forwarding, .streaming, .discarding, .lingering, .tunnel, .closed:
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
        case .head, .idle, .streaming, .discarding, .lingering, .closed:
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
        case .head, .idle, .streaming, .discarding, .lingering, .closed: return .doNothing
        }
    }

    package enum TimeoutAction: Equatable {
        /// The client took too long with its head or body.
        case requestTimeout
        /// The backend took too long.
        case gatewayTimeout
        /// The backend took too long, and another one may have the request.
        case askAnother
        case close
    }

    /// Nothing has happened for as long as the state allows.
    ///
    /// - Parameters:
    ///   - hasPartialHead: Whether a part of a request has come.
    ///   - upstreamStalls: Whether it is the backend that takes no more of the request.
    ///   - isRepeatable: Whether the whole request is kept, and has no effect by being repeated.
    /// - Returns: what is to be done about it.
    package mutating func timedOut(
        hasPartialHead: Bool,
        upstreamStalls: Bool,
        isRepeatable: Bool
    ) -> TimeoutAction {
        switch self {
        case .head where hasPartialHead, .idle where hasPartialHead: return .requestTimeout
        case .forwarding(var forwarding) where isRepeatable && forwarding.mayAskAnother:
            forwarding.metSilence = true
            forwarding.retryable = false
            self = .forwarding(forwarding)
            return .askAnother
        case .forwarding(let forwarding) where !forwarding.responseStarted:
            return forwarding.requestEnded || upstreamStalls ? .gatewayTimeout : .requestTimeout
        case .head, .idle, .forwarding, .streaming, .discarding, .lingering, .tunnel, .closed:
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
        self = .lingering(Lingering(budget: limits.lingerBytes))
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
