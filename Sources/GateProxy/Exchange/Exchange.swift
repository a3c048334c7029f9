import GatePolicy
package import NIOCore

/// The state machine of a client connection: the current request and its response.
///
/// It has no reference to a socket, and stores only a request that waits for a connection. Every
/// event has its own set of actions. If a peer causes a combination that makes no sense, the action
/// is to close, never to trap.
package enum Exchange: Equatable, Sendable {
    /// Waiting for the first request head, or for the rest of a head.
    case head
    /// Waiting for another request, of which nothing has been received.
    case idle
    /// The request is forwarded to the backend, and the response to the client.
    case forwarding(Forwarding)
    /// A response of the gate waits for the rest of a small request body.
    ///
    /// HAProxy stops sending a body once it has the response, and reuses the connection. The next request would then be
    /// read as the rest of the body.
    case awaitingBody(budget: UInt64)
    /// The last response has been sent. Further input is discarded, because otherwise the client
    /// might get a connection reset instead of the response.
    case lingering(Lingering)
    /// The gate sends events to the client, which sends nothing more.
    indirect case streaming(EventStream)
    /// The protocol was switched: bytes are forwarded in both directions (RFC 9110 7.8).
    case tunnel(Tunnel)
    /// Nothing more is read; output may still be pending.
    case closed

    /// A forwarded request.
    package struct Forwarding: Equatable, Sendable {
        package var requestEnded: Bool
        /// The request while it waits for a connection to the backend; `nil` if no connection is
        /// being opened.
        package var unsent: ForwardedRequest?
        package var responseStarted = false
        /// Whether the client may send another request afterwards.
        package var keepsClient: Bool
        /// Whether the request can be sent again: it is idempotent and was sent on a reused
        /// connection.
        package var retryable: Bool
        package var offersUpgrade: Bool
        /// Whether the client interprets any 2xx as the start of a tunnel (RFC 9110 9.3.6).
        package var isConnect: Bool
        /// The number of interim (1xx) responses so far.
        package var interims = 0
        /// Whether a backend has refused to process the request (RFC 9113 8.7).
        package var wasRefused = false
        /// Whether a backend has timed out on the request.
        package var upstreamTimedOut = false

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

        /// Whether another backend may get the request after a timeout.
        var mayTryAnotherBackend: Bool {
            self.requestEnded && !self.isConnecting && !self.responseStarted
                && !self.upstreamTimedOut
                && self.interims == 0
        }
    }

    package struct Tunnel: Equatable, Sendable {
        package var clientEnded = false
        package var upstreamEnded = false
        /// The time at which the tunnel is cut off, if it was asked to close.
        package var end: NIODeadline?
    }

    package struct Lingering: Equatable, Sendable {
        /// The maximum number of bytes to discard.
        package var budget: UInt64
        /// The time at which the connection closes, whatever the client sends; `nil` while the
        /// response is being written.
        package var end: NIODeadline?
    }

    /// The maximum number of interim responses, more than any backend has a reason to send.
    package static let interimLimit = 64
}

extension Exchange {
    /// The part of a refused request's body that has not been received.
    package enum RemainingBody: Equatable, Sendable {
        case nothing
        /// A known number of bytes.
        case bytes(UInt64)
        case chunked
        /// A body that may never be sent (`Expect`), or whose end is unknown.
        case unknown
    }

    package enum AnswerAction: Equatable {
        /// Write the response; the next request follows.
        case answer
        /// Hold the response until the body is complete.
        case awaitBody
        /// Write the response with `Connection: close`, half-close, and read until the end.
        case answerAndLinger
    }

    /// The gate responds to a request that was just read, or that could not be forwarded.
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

    /// Whether the next event can be a new request.
    package var isBetweenRequests: Bool {
        switch self {
        case .head, .idle: true
        case .forwarding, .awaitingBody, .streaming, .lingering, .tunnel, .closed: false
        }
    }

    /// A request whose head was read elsewhere is being served.
    package mutating func begin() {
        self = .head
    }

    /// A part of a head was read.
    ///
    /// - Returns: Whether it is the first part, which starts the timeout.
    package mutating func headBegan() -> Bool {
        guard case .idle = self else { return false }
        self = .head
        return true
    }

    /// A request head was read and allowed.
    package mutating func forward(_ forwarding: Forwarding) {
        self = .forwarding(forwarding)
    }

    /// The response to the request that was just read is an event stream.
    package mutating func stream(_ events: EventStream) {
        self = .streaming(events)
    }

    /// The event stream to the client, if there is one.
    var events: EventStream? {
        if case .streaming(let events) = self { events } else { nil }
    }

    /// Updates the event stream for a status.
    ///
    /// - Returns: The event to send; `nil` if the client has already received it, or does not
    ///   listen to events.
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

    /// The connection has been opened, or has failed.
    ///
    /// - Returns: The request that waited for it; `nil` if the exchange has ended in the meantime.
    package mutating func endConnecting() -> ForwardedRequest? {
        guard case .forwarding(var forwarding) = self, let unsent = forwarding.unsent.take() else {
            return nil
        }
        self = .forwarding(forwarding)
        return unsent
    }

    /// The request was sent on a reused connection: if it turns out to be closed, the backend has
    /// not received the request.
    package mutating func allowRetry() {
        guard case .forwarding(var forwarding) = self, forwarding.requestEnded else { return }
        forwarding.retryable = true
        self = .forwarding(forwarding)
    }

    /// Whether further request content is forwarded to the backend.
    var takesContent: Bool {
        if case .forwarding(let forwarding) = self { !forwarding.requestEnded } else { false }
    }

    package enum RequestEndAction: Equatable {
        /// The response is being sent, or has not been received.
        case wait
        /// The body is complete: write the response that waited for it, and read the next request.
        case answer
    }

    /// The last byte of the request was received.
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
