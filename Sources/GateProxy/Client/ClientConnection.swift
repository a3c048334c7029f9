import GateCensus
import GatePolicy
import GateWire
import NIOCore

/// One client connection, or one stream of an HTTP/2 connection.
///
/// A `ClientConnection` translates bytes and socket events into events of its `Exchange`, and the actions of the
/// exchange into bytes and socket calls.
final class ClientConnection: ChannelInboundHandler, ChannelOutboundHandler,
    RemovableChannelHandler, RegisteredConnection
{
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// The current request and its response.
    struct Request: ~Copyable {
        var verdict: Verdict?
        /// The progress of forwarding or discarding the request body.
        var body = RequestBodyRelay()
        var response = ResponseRelay()
        /// Whether the request is a gRPC call, which can be idle for a long time.
        var isCall = false
        /// Whether the connection counts toward the limit on event streams; if so, it counts until it is closed.
        var holdsEventStream = false
        /// The value of `Origin`, if a web app from that origin must be able to read the response.
        var origin: String?
        /// The protocols that were offered to the backend, in lowercase.
        var offeredProtocols: [String] = []
        /// The request, kept while it can still be retried.
        var forwarded: ForwardedRequest?
        /// The request, kept so that it can be evaluated again during its response.
        var revocable: RevocableRequest?
        /// The backend that a rule selects; `nil` if the default backend is used, even as a fallback.
        var route: BackendRoute?
        /// The trial of a backend address; `nil` if the request is not a trial.
        var trial: UpstreamPool.Trial?
        /// The census entry for this request, until its response starts.
        var censusReceipt = CensusReceipt.none
        var logEntry: AccessLog.Entry?
        var timing = RequestTiming()
        var discards = DiscardAccount()

        // Inlined, so that the members are written in place, because moving a new value costs twice as much.
        @inline(__always)
        init() {}
    }

    /// Whether a connection is served.
    enum Admission {
        /// The client is within its connection limit. The permit is `nil` if the client's connections are not counted.
        case admitted(ConnectionPermit?)
        /// The connection was parked, and has counted toward the limit since it was accepted.
        case resumed(ConnectionPermit?, idleUntil: NIODeadline)
        /// The client has reached its connection limit.
        case overClientLimit
        /// The connection is rejected with a response, which is `nil` once it has been written.
        ///
        /// Over TLS, ALPN must complete before the response is written.
        case rejected(GateAnswer?)
    }

    let clients: LoopClients
    let loop: LoopContext
    let origin: ClientAddress
    var admission: Admission
    var heads: HeadReader
    var exchange: Exchange
    var request = Request()
    /// The received bytes that have not been consumed.
    var inbound = ByteBuffer()
    let output: ClientOutput
    var upstream: UpstreamConnection?
    var flow = ChannelFlow(isWritable: true)
    private var settling = Settling.settled
    private(set) var deadline: NIODeadline?
    var registryIndex = 0

    init(
        clients: LoopClients,
        origin: ClientAddress,
        admission: Admission = .admitted(nil)
    ) {
        let loop = clients.loop
        self.clients = clients
        self.loop = loop
        self.origin = origin
        self.output = ClientOutput(loop)
        self.admission = admission
        self.heads = HeadReader(loop.rules, limits: origin.headLimits(loop.settings))
        if case .resumed(_, let idleUntil) = admission {
            self.exchange = .idle
            self.deadline = idleUntil
        } else {
            self.exchange = .head
            self.deadline = loop.now + loop.settings.timeouts.head
        }
    }

    /// The rules that the current request is evaluated against.
    @inline(__always)
    var rules: WorkerRules { self.heads.rules }

    /// The permit under the client's connection limit; `nil` if the client's connections are not counted.
    var permit: ConnectionPermit? {
        switch self.admission {
        case .admitted(let permit), .resumed(let permit, _): permit
        case .overClientLimit, .rejected: nil
        }
    }

    /// The response that rejects the connection.
    ///
    /// The response is `nil` if the connection is not rejected, or once the response has been written.
    var rejection: GateAnswer? {
        if case .rejected(let answer) = self.admission { answer } else { nil }
    }

    var transport: ClientTransport {
        @inline(__always) get { self.output.transport }
        @inline(__always) set { self.output.transport = newValue }
    }

    /// Whether the transport accepts more bytes for the client.
    var isWritable: Bool { self.transport.isWritable(channel: self.flow.isWritable) }

    /// Whether more bytes may be read from the client.
    var mayRead: Bool {
        switch self.exchange {
        case .head, .idle: self.isWritable
        case .forwarding(let forwarding) where forwarding.requestEnded:
            // Bytes are read only to detect the end of the connection.
            self.inbound.readableBytes == 0
        case .forwarding, .tunnel: self.upstream?.isWritable ?? false
        // The window of a stream is not increased until its response has been written; then `HTTP2Connection` discards
        // the rest of the body.
        case .lingering: !self.transport.isStream
        case .awaitingBody, .awaitingMessage, .streaming, .closed: true
        }
    }
}

/// Methods that settle the connection, as the last step in handling each event.
extension ClientConnection {
    private enum Settling {
        case settled
        case underWay
        /// `settle()` has caused another event, which must also be settled.
        case repeats
    }

    /// Processes the received bytes as far as the exchange permits, flushes both sides, and resumes reading.
    ///
    /// The handler of each event ends with this call. If the call itself causes an event, that event is settled
    /// afterwards by the same call.
    func settle() {
        guard case .settled = self.settling else {
            self.settling = .repeats
            return
        }
        repeat {
            self.settling = .underWay
            // The output is flushed first, so that no further request is served if the write shows that the client has
            // disconnected.
            self.output.flush()
            self.processInbound()
            self.upstream?.flush()
            if self.output.pendingCount != nil { self.output.flush() }
            self.resumeReading()
            self.upstream?.resumeReading()
        } while self.settling == .repeats
        self.settling = .settled
    }

    private func resumeReading() {
        if case .stream(let stream) = self.transport { return stream.makeRoom() }
        guard self.flow.isReadHeld, self.mayRead else { return }
        self.flow.isReadHeld = false
        self.transport.read()
    }
}

/// Methods that set the deadline.
extension ClientConnection {
    /// Restarts the timeout for the event that the exchange waits for.
    func renewDeadline() {
        self.renewDeadline(for: self.exchange.wait)
    }

    @inline(__always)
    func renewDeadline(for wait: Exchange.Wait) {
        let timeouts = self.loop.settings.timeouts
        let time: TimeAmount
        switch wait {
        case .connection:
            self.deadline = nil
            return
        case .rest(until: let end):
            self.deadline = Swift.min(end, self.loop.now + timeouts.linger)
            return
        case .head: time = timeouts.head
        case .request: time = timeouts.idle
        // A call can be idle for as long as a tunnel.
        case .body: time = self.request.isCall ? timeouts.tunnel : timeouts.body
        case .response: time = self.request.isCall ? timeouts.tunnel : timeouts.response
        case .tunnel: time = timeouts.tunnel
        case .awaitedBody: time = self.loop.settings.discardLimits.awaitedTime
        case .lastBytes: time = timeouts.response
        case .heartbeat: time = EventStream.heartbeatInterval
        }
        self.deadline = self.loop.now + time
    }

    /// Moves the deadline to `time` from now, unless the deadline is already earlier.
    func limitDeadline(to time: TimeAmount) {
        let end = self.loop.now + time
        self.deadline = self.deadline.map { Swift.min($0, end) } ?? end
    }
}

/// Methods that prepare for the next request.
extension ClientConnection {
    /// Whether another request may be read from this connection, and can still arrive.
    var acceptsNextRequest: Bool {
        !self.loop.isDraining && !(self.flow.isInputClosed && self.inbound.readableBytes == 0)
    }

    /// Resets the state for the next request on this connection.
    func nextRequest() {
        self.finishLogEntry()
        self.heads.parser.reset()
        self.endLargeReads()
        self.request = Request()
        if case .stream(let stream) = self.transport, stream.hasUnsent {
            self.renewDeadline(for: .lastBytes)
        } else {
            self.renewDeadline()
        }
        if self.mayAwaitLast {
            self.drain(grace: self.loop.drainGrace)
        } else if !self.acceptsNextRequest {
            self.exchange.linger(limits: self.loop.settings.discardLimits)
            self.linger()
        }
    }

    /// Whether the client may still send a last request while the gate is draining.
    private var mayAwaitLast: Bool {
        guard self.loop.isDraining, !self.flow.isInputClosed, case .channel = self.transport else {
            return false
        }
        return self.loop.drainGrace > .zero || self.inbound.readableBytes > 0 || self.hasUnread
    }
}

extension ClientConnection {
    /// Switches to the event loop's current rules, unless a request is being forwarded or a request body is awaited.
    func rulesChanged() {
        self.heads.lastVerdict = nil
        switch self.exchange {
        case .forwarding, .awaitingBody, .awaitingMessage:
            // A request is read to the end with the rules that were active when it started.
            break
        case .head, .idle, .streaming, .lingering, .tunnel, .closed:
            self.heads.use(self.loop.rules)
        }
    }

    /// Counts the request as waiting for the backend.
    func beginPending() {
        if self.request.response.beginPending() { self.loop.pendingCount += 1 }
    }

    /// Stops counting the request as waiting, because its response has started or will never start.
    func endPending() {
        if self.request.response.endPending() { self.loop.pendingCount -= 1 }
    }
}

/// Methods that reevaluate long-lived responses when the rules change or a scheduled change is due.
extension ClientConnection {
    /// Keeps a request that may get a long-lived response.
    func keepRevocable(_ request: ForwardedRequest?, isWebSocket: Bool) {
        guard let request else { return }
        self.request.revocable = RevocableRequest(
            request,
            validUntil: self.request.verdict?.validUntil,
            isWebSocket: isWebSocket
        )
        // The rules may have changed since the request was evaluated.
        if !self.request.isCall, self.rules !== self.loop.rules { self.evaluateAgain() }
    }

    /// Evaluates the request of a long-lived response against the current rules, and ends the response if necessary.
    ///
    /// The response ends if the rules deny the request or select another backend.
    func evaluateAgain() {
        if case .streaming = self.exchange { return self.refreshStream() }
        guard let revocable = self.request.revocable, revocable.webSocket?.revocation == nil,
            !self.isUnansweredCall,
            let (verdict, denial) = self.currentVerdict(on: revocable.request.received)
        else { return }
        self.request.revocable?.validUntil = verdict.validUntil
        let end: RenderedAnswer
        let revocation: WebSocketRelay.Revocation
        if let denial {
            (end, revocation) = (denial, .init(verdict.decision))
        } else if self.selectsOtherBackend(verdict) {
            (end, revocation) = (.moved, .moved)
        } else {
            // A single-use pass remains valid for the request that has used it.
            if verdict.decision.passID != nil { self.request.verdict = verdict }
            return
        }
        self.loop.counters.revoked += 1
        if self.request.isCall, self.endCall(end) { return }
        self.revoke(revocation)
        self.settle()
    }

    /// Returns whether a verdict selects a backend other than that of the current request.
    private func selectsOtherBackend(_ verdict: Verdict) -> Bool {
        let backend = verdict.decision.route?.backend
        if self.request.route == nil, backend == nil { return false }
        return backend != self.request.verdict?.decision.route?.backend
    }

    /// Whether a call has been sent completely and has no response yet.
    ///
    /// Such a call is not revoked, because the client would conclude that the backend has not processed the call.
    private var isUnansweredCall: Bool {
        guard self.request.isCall, case .forwarding(let forwarding) = self.exchange else {
            return false
        }
        return forwarding.requestEnded && !forwarding.responseStarted
    }

    /// Handles the start of the response to a call.
    func callHasResponse() {
        guard self.rules !== self.loop.rules else { return }
        // The call is evaluated again at the next check, because the current rules may deny it. A unary call ends
        // before that check.
        self.request.revocable?.validUntil = Timestamp(secondsSinceEpoch: 0)
    }

    /// Ends a call with the status of a denial.
    ///
    /// - Returns: Whether the call was ended; `false` if trailers cannot be sent at this point in the response.
    private func endCall(_ denial: RenderedAnswer) -> Bool {
        guard case .forwarding(let forwarding) = self.exchange else { return false }
        if forwarding.responseStarted {
            guard case .chunked = self.request.response.framing else { return false }
            self.dropUpstream()
            self.output.writeEnd(of: denial)
            self.responseEnded(upstreamKeepsAlive: false)
        } else {
            self.dropUpstream()
            self.answer(
                denial,
                keepsClient: forwarding.keepsClient,
                remaining: forwarding.requestEnded ? .nothing : .unknown
            )
        }
        self.settle()
        return true
    }

    /// Ends a response or a tunnel that must not continue.
    func revoke(_ revocation: WebSocketRelay.Revocation) {
        switch self.exchange {
        case .tunnel where self.request.revocable?.webSocket != nil:
            self.request.revocable?.webSocket?.revoke(revocation)
            self.exchange.endTunnel(by: self.loop.now + self.loop.settings.timeouts.linger)
            self.renewDeadline()
            self.closeWebSocketBetweenFrames()
        case .tunnel:
            self.closeAfterWriting()
        case .forwarding:
            self.cutResponse()
        case .head, .idle, .awaitingBody, .awaitingMessage, .streaming, .lingering, .closed:
            break
        }
    }
}

@available(*, unavailable)
extension ClientConnection: Sendable {}
