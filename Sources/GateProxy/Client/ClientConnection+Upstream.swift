import GatePolicy
import GateWire
import Logging
import NIOCore

/// Methods that send requests to a backend.
extension ClientConnection {
    /// Forwards a request that the rules allow.
    func forward(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        verdict: Verdict
    ) {
        if let overload = self.loop.overload { return self.shed(overload, facts: facts) }
        self.beginPending()
        self.request.route = verdict.route
        let webSocketKey = self.webSocketKey
        let request = ForwardedRequest(
            head,
            facts: facts,
            in: bytes,
            copiedInto: self.loop.takeBuffer(),
            verdict: verdict,
            origin: self.origin,
            upstreamAuthority: self.loop.authority(of: verdict.route),
            webSocketKey: webSocketKey,
            newRequestID: { self.request.logEntry?.newRequestID ?? self.loop.nextRequestID() }
        )
        if facts.offersUpgrade {
            self.request.offeredProtocols = request.upgradeTokens.map { $0.lowercased() }
        }
        self.exchange.forward(
            Exchange.Forwarding(
                requestEnded: facts.framing == .none,
                keepsClient: facts.keepsAlive && self.acceptsNextRequest,
                retryable: false,
                offersUpgrade: !self.request.offeredProtocols.isEmpty,
                isConnect: webSocketKey != nil
            )
        )
        // If the first bytes of a body are malformed, no part of the request is sent to the backend.
        if facts.framing == .chunked,
            let fault = self.request.body.fault(
                in: self.inbound,
                trailerFields: self.rules.table,
                limit: self.loop.settings.maxBodyBytes
            )
        {
            return self.fail(GateAnswer(fault))
        }
        self.request.forwarded = request
        if self.request.isCall { self.keepRevocable(request, isWebSocket: false) }
        self.send(request)
    }

    /// Returns the next backend address for the request, or `nil` if no address is known.
    private func nextAddress() -> UpstreamPool.Choice? {
        let (route, now) = (self.request.route, self.loop.now)
        guard let route else { return self.clients.pool.next(at: now) }
        let pool = self.clients.pools.pool(for: route)
        guard route.fallsBack else { return pool.next(at: now) }
        return pool.next(at: now, besides: [], insisting: false) ?? self.fallBack()
    }

    private var pool: UpstreamPool { self.clients.pools.pool(for: self.request.route) }

    /// Selects the default backend for the request, and returns the next address of this backend.
    private func fallBack() -> UpstreamPool.Choice? {
        self.request.route = nil
        self.loop.counters.routeFallbacks += 1
        return self.clients.pool.next(at: self.loop.now)
    }

    private func send(_ request: ForwardedRequest) {
        guard let choice = self.nextAddress() else { return self.failWithoutAddress() }
        guard let upstream = choice.member.take(upgrading: self.isUpgrading) else {
            self.request.timing.forwarded(on: self.loop)
            return self.connect(to: choice, sending: request)
        }
        self.request.trial = choice.trial
        if request.isRepeatable, upstream.mayBeStale { self.exchange.allowRetry() }
        self.attach(upstream, sending: request)
        self.request.timing.forwarded(on: self.loop)
    }

    private var isUpgrading: Bool { !self.request.offeredProtocols.isEmpty }

    private func attach(_ upstream: UpstreamConnection, sending request: ForwardedRequest) {
        self.upstream = upstream
        upstream.begin(for: self, answersHead: self.request.response.isHead)
        self.write(request, to: upstream)
        guard self.upstream === upstream else { return }
        // The time is not recorded for gRPC calls, whose responses may start late, nor before the end of a request
        // body, because the backend may wait for the rest.
        if !self.request.isCall, self.requestHasEnded {
            upstream.member?.asked(at: self.loop.now)
        }
        self.renewDeadline()
    }

    /// Retries, on another connection, a request that no backend has processed.
    private func sendAgain() {
        self.dropUpstream()
        guard let request = self.request.forwarded, self.request.body.isResendable else {
            return self.fail(.badGateway)
        }
        guard let choice = self.nextAddress() else { return self.failWithoutAddress() }
        self.connect(to: choice, sending: request)
    }

    /// Sends a repeatable request to another address after a backend address has failed to respond in time.
    ///
    /// Excluded addresses are not tried, because the client would probably wait for two timeouts in vain.
    func tryAnotherAddress() {
        guard let member = self.upstream?.member, let request = self.request.forwarded else {
            return self.fail(.gatewayTimeout)
        }
        member.answerFailed(isSilent: true)
        let now = self.loop.now
        guard let other = self.pool.next(at: now, besides: [member], insisting: false)
        else { return self.fail(.gatewayTimeout) }
        self.dropUpstream()
        self.connect(to: other, sending: request, tried: [member])
    }

    /// Opens a connection to the backend for a waiting request.
    ///
    /// `tried` contains the addresses that could not be reached or have timed out.
    private func connect(
        to choice: UpstreamPool.Choice,
        sending request: ForwardedRequest,
        tried: [UpstreamPool.Member] = []
    ) {
        let member = choice.member
        self.request.trial = choice.trial
        self.beginPending()
        self.exchange.connect(sending: request)
        self.renewDeadline()
        member.connect(upgrading: self.isUpgrading) { result in
            guard let request = self.exchange.endConnecting() else {
                // The client has disconnected, but another request can use the connection.
                if case .success(let upstream) = result {
                    upstream.release(reusable: !self.loop.isDraining, now: self.loop.now)
                }
                return
            }
            switch result {
            case .success(let upstream) where !upstream.isActive:
                self.fail(.badGateway)
            case .success(let upstream):
                self.attach(upstream, sending: request)
                self.settle()
            case .failure(let error):
                self.connectFailed(error, sending: request, tried: tried + [member])
            }
        }
    }

    private func failWithoutAddress() {
        self.pool.reportNoAddress()
        self.fail(.unreachable)
    }

    /// Tries another address after a failed connection attempt, when no part of the request has been sent.
    private func connectFailed(
        _ error: UpstreamPool.ConnectError,
        sending request: ForwardedRequest,
        tried: [UpstreamPool.Member]
    ) {
        // Another address would fail for the same reason.
        if error.isOutOfDescriptors {
            self.loop.refused(.descriptors, ["error": "\(error.cause)"])
            return self.fail(.outOfDescriptors)
        }
        let next = self.clients.pools.nextAddress(
            after: error,
            on: self.request.route,
            tried: tried,
            at: self.loop.now
        )
        if let next {
            self.connect(to: next, sending: request, tried: tried)
        } else if self.request.route?.fallsBack == true, let other = self.fallBack() {
            self.connect(to: other, sending: request)
        } else {
            self.fail(error.isTimeout ? .connectTimeout : .unreachable)
        }
    }
}

/// Handlers for the events of the backend connection.
///
/// After events that deliver parts of a response, the caller calls `settle()` once for everything from the same read.
/// The handlers of all other events call `settle()` themselves.
extension ClientConnection: UpstreamReceiver {
    func responseHead(_ head: ResponseHead, facts: ResponseFacts, bytes: Span<UInt8>) {
        self.request.body.dropSent()
        let framing = self.request.response.framing(of: head, facts: facts)
        let action = self.exchange.responseHead(
            status: head.status,
            switchesAsOffered: self.isOffered(head, facts: facts, bytes: bytes),
            // Once a client or a proxy has the response, it may omit the rest of the request body. The next request
            // would then be read as the rest of that body (RFC 9110 section 10.1.1).
            endsByClose: framing.endsByClose
                || !self.transport.isStream && !self.requestHasEnded
        )
        if !head.isInterim || action == .tunnel {
            self.endPending()
            self.request.timing.answered(on: self.loop)
        }
        switch action {
        case .forwardInterim:
            // HTTP/1.0 has no interim responses (RFC 9110 section 15.2).
            guard !self.request.response.isHTTP10 else { return }
            self.write(head, facts: facts, bytes: bytes, connection: .keep)
        case .forward(let keepsClient):
            if 500...599 ~= head.status { self.backendFailed() }
            let request = self.request.forwarded.take()
            self.request.response.relay(framing, upstreamKeepsAlive: facts.keepsAlive)
            self.request.logEntry?.forwarded(head.status)
            self.write(
                head,
                facts: facts,
                bytes: bytes,
                connection: ResponseHeadWriter.Connection(
                    keepsClient: keepsClient,
                    isHTTP10: self.request.response.isHTTP10
                )
            )
            if facts.isEventStream, request?.isRepeatable == true {
                self.keepRevocable(request, isWebSocket: false)
            } else if let request {
                self.loop.giveBack(request.bytes)
            }
            if self.request.isCall { self.callHasResponse() }
            self.renewDeadline()
        case .tunnel:
            let isWebSocket = facts.upgrades(to: "websocket", head, in: bytes)
            self.request.logEntry?.forwarded(head.status)
            self.write(head, facts: facts, bytes: bytes, connection: .upgrade)
            self.renewDeadline()
            self.upstream?.beginTunnel()
            self.keepRevocable(self.request.forwarded.take(), isWebSocket: isWebSocket)
            if case .stream(let stream) = self.transport { stream.beginTunnel() }
        case .badGateway:
            self.fail(.badGateway)
        case .discard:
            self.dropUpstream()
        }
    }

    private func write(
        _ head: ResponseHead,
        facts: ResponseFacts,
        bytes: Span<UInt8>,
        connection: ResponseHeadWriter.Connection
    ) {
        self.output.write(
            head,
            facts: facts,
            bytes: bytes,
            connection: connection,
            framing: self.request.response.framing,
            adding: head.isInterim ? .none : self.request.verdict?.clientFields ?? .none
        )
    }

    /// Whether a 101 response switches to a protocol that the client has offered (RFC 9110 section 7.8).
    private func isOffered(
        _ head: ResponseHead,
        facts: ResponseFacts,
        bytes: Span<UInt8>
    ) -> Bool {
        guard head.status == 101, let index = facts.upgradeLine else { return false }
        if case .stream(let stream) = self.transport, !stream.isAccepted(by: head, in: bytes) {
            return false
        }
        let line = head.fields.lines[index]
        return self.request.offeredProtocols.contains(
            bytes.text(from: line.valueStart, to: line.valueEnd).lowercased()
        )
    }

    func consumeResponseBody(
        _ reader: inout BodyReader,
        from inbound: ByteBuffer
    ) -> ChunkedScanner.Progress {
        self.renewDeadline()
        return self.output.consume(inbound, by: &reader, framing: self.request.response.framing)
    }

    func responseContent(_ content: ByteBuffer, isLast: Bool) {
        self.renewDeadline()
        self.output.write(content, isLast: isLast, framing: self.request.response.framing)
    }

    var takesTrailersBehindLength: Bool { self.transport.isStream }

    func responseTrailers(_ trailers: HeaderList) {
        self.output.write(trailers: trailers, framing: self.request.response.framing)
    }

    func responseEnded(upstreamKeepsAlive: Bool) {
        let isReusable = upstreamKeepsAlive && self.request.response.upstreamKeepsAlive
        let action = self.exchange.responseEnded(
            limits: self.loop.settings.discardLimits,
            isStream: self.transport.isStream
        )
        switch action {
        case .next:
            self.releaseUpstream(reusable: isReusable)
            self.nextRequest()
        case .dropUpstream:
            self.dropUpstream()
            self.nextRequest()
        case .linger(let requestEnded):
            if requestEnded {
                self.releaseUpstream(reusable: isReusable)
            } else {
                self.dropUpstream()
            }
            self.linger()
        case .close:
            self.output.flush()
            self.abort()
        }
    }

    /// Resumes reading from the client, because the backend can accept more of the request.
    func upstreamBecameWritable() {
        if !self.requestHasEnded { self.renewDeadline() }
        self.settle()
    }

    func upstreamEnded(wasReset: Bool) {
        // A reset can be forwarded to a stream (RFC 8441 section 5).
        if wasReset, case .tunnel = self.exchange, self.transport.isStream {
            self.dropUpstream()
            return self.closeAfterWriting()
        }
        switch self.exchange.upstreamEnded() {
        case .retry: self.sendAgain()
        case .badGateway: self.backendEndedEarly()
        case .abort where self.request.response.framing.endsByClose:
            self.reset()
        case .abort:
            self.closeAfterWriting()
        case .endClient:
            self.output.flush()
            self.transport.closeOutput()
            self.renewDeadline(for: .body)
        case .closeClient:
            self.transport.endContent()
            self.closeAfterWriting()
        case .doNothing:
            self.dropUpstream()
        }
        self.settle()
    }

    func upstreamRefused() {
        switch self.exchange.upstreamRefused() {
        case .retry: self.sendAgain()
        case .badGateway: self.backendEndedEarly()
        case .doNothing:
            self.dropUpstream()
        }
        self.settle()
    }

    /// Fails a request that cannot be retried, and reports the failure to the pool.
    private func backendEndedEarly() {
        self.upstream?.member?.answerFailed()
        self.fail(.badGateway)
    }

    func upstreamFailed(_ fault: MessageFault) {
        self.loop.faultLog.report(.malformedResponse, ["fault": "\(fault.explanation)"])
        self.upstreamGaveUp()
    }

    func upstreamGaveUp() {
        self.upstream?.member?.answerFailed()
        switch self.exchange.upstreamViolatedProtocol() {
        case .badGateway: self.fail(.badGateway)
        case .abort: self.cutResponse()
        case .doNothing: self.dropUpstream()
        }
        self.settle()
    }
}
