import GatePolicy
package import NIOCore

/// One client connection, seen as the request that is on it and that request's answer: what may
/// come next, and what must be done about it.
///
/// It holds no socket, and no request but one that waits for a socket. Every event has its own list of actions; where a
/// peer can bring about a combination that makes no sense, the answer is to close, never to trap.
package enum Exchange: Equatable, Sendable {
    /// Waiting for the first request head, or in the middle of one.
    case head
    /// Waiting for another request, of which nothing has come.
    case idle
    /// The request goes to the backend and its answer to the client.
    case forwarding(Forwarding)
    /// A response of the gate waits for the rest of a small request body.
    ///
    /// HAProxy stops sending a body once it has the response, and reuses the connection. The next request would then be
    /// read as the rest of the body.
    case awaitingBody(budget: UInt64)
    /// Answered for the last time; what the client still sends is thrown away, so that it can read the
    /// answer instead of finding the connection reset.
    case lingering(Lingering)
    /// The gate itself tells the client whatever changes; the client has nothing more to say.
    indirect case streaming(EventStream)
    /// The protocol was changed: bytes in both directions, whatever they mean (RFC 9110 7.8).
    case tunnel(Tunnel)
    /// Nothing more is read; what was written may still be on its way.
    case closed

    /// A request that was passed on.
    package struct Forwarding: Equatable, Sendable {
        package var requestEnded: Bool
        /// The request as long as it waits for a connection to the backend; `nil`: none is being opened.
        package var unsent: ForwardedRequest?
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
            unsent: ForwardedRequest? = nil,
            responseStarted: Bool = false,
            keepsClient: Bool,
            retryable: Bool,
            offersUpgrade: Bool,
            isConnect: Bool = false,
            interims: Int = 0
        ) {
            self.requestEnded = requestEnded
            self.unsent = unsent
            self.responseStarted = responseStarted
            self.keepsClient = keepsClient
            self.retryable = retryable
            self.offersUpgrade = offersUpgrade
            self.isConnect = isConnect
            self.interims = interims
        }

        /// Whether a connection to the backend is being opened.
        package var isConnecting: Bool { self.unsent != nil }

        /// Whether a backend that keeps silent may have been the wrong one to ask.
        var mayAskAnother: Bool {
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
        /// A chunked body.
        case chunked
        /// A body that may never be sent (`Expect`), or whose end is unknown.
        case unknown
    }

    package enum AnswerAction: Equatable {
        /// Write the answer; the next request follows.
        case answer
        /// Hold the response until the body is complete.
        case awaitBody
        /// Write the answer with `Connection: close`, close for writing, read until the end.
        case answerAndLinger
    }

    /// The gate itself answers the request whose head was just read, or has failed to pass on.
    package mutating func answer(
        keepsClient: Bool,
        remaining: RemainingBody,
        limits: DiscardLimits
    ) -> AnswerAction {
        guard keepsClient else {
            self.linger(limits: limits)
            return .answerAndLinger
        }
        switch remaining {
        case .nothing:
            self = .idle
            return .answer
        case .bytes(let count) where count <= limits.awaitedBytes:
            self = .awaitingBody(budget: count)
            return .awaitBody
        case .chunked where limits.awaitedBytes > 0:
            self = .awaitingBody(budget: limits.awaitedBytes)
            return .awaitBody
        case .bytes, .chunked, .unknown:
            self.linger(limits: limits)
            return .answerAndLinger
        }
    }

    package enum AwaitAction: Equatable {
        case wait
        /// The body exceeds the limit: write the response with `Connection: close`, and linger.
        case answerAndLinger
    }

    /// Bytes of a body that a response waits for were discarded.
    package mutating func awaited(bytes count: Int, limits: DiscardLimits) -> AwaitAction {
        guard case .awaitingBody(let budget) = self else { return .wait }
        guard UInt64(count) <= budget else {
            self.linger(limits: limits)
            return .answerAndLinger
        }
        self = .awaitingBody(budget: budget - UInt64(count))
        return .wait
    }

    /// Whether a request could be read next.
    package var isBetweenRequests: Bool {
        switch self {
        case .head, .idle: true
        case .forwarding, .awaitingBody, .streaming, .lingering, .tunnel, .closed: false
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

    /// The request whose head was just read is answered by events, until either side has enough.
    package mutating func stream(_ events: EventStream) {
        self = .streaming(events)
    }

    /// The events that the client is told; `nil`: none.
    var events: EventStream? {
        if case .streaming(let events) = self { events } else { nil }
    }

    /// The client is to know a status.
    ///
    /// - Returns: the event that tells it; `nil` if the client knows it, or listens to none.
    mutating func event(_ status: LaunchStatus) -> [UInt8]? {
        guard case .streaming(var events) = self else { return nil }
        let event = events.event(status)
        self = .streaming(events)
        return event
    }

    /// The request waits for a connection to the backend.
    package mutating func connect(sending unsent: ForwardedRequest) {
        guard case .forwarding(var forwarding) = self else { return }
        forwarding.unsent = unsent
        self = .forwarding(forwarding)
    }

    /// The connection is there, or will not be.
    ///
    /// - Returns: what waited for it; `nil`: nobody waits any more.
    package mutating func endConnecting() -> ForwardedRequest? {
        guard case .forwarding(var forwarding) = self, let unsent = forwarding.unsent.take() else {
            return nil
        }
        self = .forwarding(forwarding)
        return unsent
    }

    /// The request went out on a connection that an earlier exchange had left open: if that turns
    /// out to be closed, the backend has seen nothing of it.
    package mutating func allowRetry() {
        guard case .forwarding(var forwarding) = self, forwarding.requestEnded else { return }
        forwarding.retryable = true
        self = .forwarding(forwarding)
    }

    /// Whether the rest of a request's content goes to the backend.
    var takesContent: Bool {
        if case .forwarding(let forwarding) = self { !forwarding.requestEnded } else { false }
    }

    package enum RequestEndAction: Equatable {
        /// The answer is on its way or still to come.
        case wait
        /// The body is complete: write the response that waited for it, and read the next request.
        case answer
    }

    /// The last byte of the request was read.
    package mutating func requestEnded() -> RequestEndAction {
        switch self {
        case .forwarding(var forwarding):
            forwarding.requestEnded = true
            self = .forwarding(forwarding)
            return .wait
        case .awaitingBody:
            self = .idle
            return .answer
        case .head, .idle, .streaming, .lingering, .tunnel, .closed:
            return .wait
        }
    }
}
