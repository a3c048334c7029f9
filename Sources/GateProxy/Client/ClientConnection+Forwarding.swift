import GateWire
import Logging
import NIOCore

/// Sending requests to a backend.
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

    /// Returns the address for a request; `nil` if none is known.
    private func nextAddress() -> UpstreamPool.Choice? {
        let (route, now) = (self.request.route, self.loop.now)
        guard let route else { return self.clients.pool.next(at: now) }
        let pool = self.clients.pools.pool(for: route)
        guard route.fallsBack else { return pool.next(at: now) }
        return pool.next(at: now, besides: [], insisting: false) ?? self.fallBack()
    }

    /// The pool of the backend for the request.
    private var pool: UpstreamPool { self.clients.pools.pool(for: self.request.route) }

    /// Whether the default backend may get a request that cannot reach the backend that a rule selects.
    private var mayFallBack: Bool { self.request.route?.fallsBack == true }

    /// Selects the default backend for the request, and returns its address.
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
        // Not recorded for gRPC calls, whose responses may start late, nor before the end of a request body, because
        // the backend may wait for it.
        if !self.request.isCall, self.requestHasEnded {
            upstream.member?.asked(at: self.loop.now)
        }
        self.renewDeadline()
    }

    /// Writes a request in the HTTP version of the connection, with the part of its body that has arrived.
    private func write(_ request: ForwardedRequest, to upstream: UpstreamConnection) {
        let hasBody = request.facts.framing != .none
        let sent = hasBody ? self.request.body.takeSent() : nil
        switch upstream.transport {
        case .channel:
            var buffer = self.loop.takeBuffer()
            RequestHeadWriter.write(request, into: &buffer)
            if !request.isRepeatable, !self.request.isCall { self.forget(request) }
            if hasBody, !self.request.body.passesContent, !self.transport.isStream {
                self.writeFirstBytes(after: &buffer, to: upstream)
            } else {
                upstream.write(buffer)
            }
            self.loop.giveBack(buffer)
        case .stream(let stream):
            stream.begin(request)
            if hasBody { self.request.body.beginContent() }
        case .none: return
        }
        guard hasBody else { return }
        if let sent {
            self.request.body.keep(sent)
            self.write(sent, isLast: self.requestHasEnded, to: upstream)
        }
        if !self.requestHasEnded { _ = self.passBody() }
    }

    /// Writes the first bytes of a body together with the head, which costs the kernel less than two buffers.
    private func writeFirstBytes(
        after head: inout ByteBuffer,
        to upstream: UpstreamConnection
    ) {
        guard let bytes = self.takeFramed() else { return }
        guard bytes.readableBytes > Self.copyLimit else {
            head.writeImmutableBuffer(bytes)
            return upstream.write(head)
        }
        upstream.write(head)
        upstream.write(bytes)
    }

    /// Releases the memory of a request that will not be sent again.
    private func forget(_ request: ForwardedRequest) {
        self.request.forwarded = nil
        self.loop.giveBack(request.bytes)
    }

    /// Retries a request on another connection, because no backend has processed it.
    func sendAgain() {
        guard let request = self.request.forwarded, self.request.body.isResendable else {
            return self.fail(.badGateway)
        }
        guard let choice = self.nextAddress() else { return self.failWithoutAddress() }
        self.connect(to: choice, sending: request)
    }

    /// Sends a repeatable request to an address other than the one that has not responded in time.
    ///
    /// Currently excluded addresses are not tried, because the client would probably wait for two timeouts in vain.
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
    /// `tried`: the addresses that could not be reached, or have timed out.
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
                // The client has disconnected; another request can use the connection.
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

    /// Tries another address, because no part of the request has been sent yet.
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
        let mayWait = !error.isTimeout || tried.count < Self.maxWaits
        if mayWait,
            // After a timeout, excluded addresses are not tried, because they could time out as well.
            let other = self.pool.next(
                at: self.loop.now,
                besides: tried,
                insisting: !error.isTimeout && tried.count < Self.maxTriedInDoubt
                    && !self.mayFallBack
            )
        {
            self.connect(to: other, sending: request, tried: tried)
        } else if self.mayFallBack, let other = self.fallBack() {
            self.connect(to: other, sending: request)
        } else {
            self.fail(error.isTimeout ? .connectTimeout : .unreachable)
        }
    }

    /// The number of attempts for one request after which excluded addresses are no longer tried.
    ///
    /// All addresses in use are tried, because a request that finds an address unreachable spares all other requests
    /// that attempt.
    private static let maxTriedInDoubt = 3
    /// The number of attempts for one request after which it does not wait for another connection.
    private static let maxWaits = 3
}

/// The request body.
extension ClientConnection {
    /// Forwards the part of the request body that has arrived.
    ///
    /// - Returns: Whether there may be more to read.
    func passBody() -> Bool {
        guard let upstream = self.upstream else { return false }
        if case .stream(let stream) = self.transport {
            self.passContent(of: stream, to: upstream)
            return false
        }
        guard self.inbound.readableBytes > 0 else { return false }
        if self.request.body.passesContent {
            guard let content = self.takeContent() else { return false }
            self.write(content, isLast: self.requestHasEnded, to: upstream)
        } else {
            guard let bytes = self.takeFramed(), bytes.readableBytes > 0 else { return false }
            upstream.write(bytes)
        }
        self.renewDeadline()
        guard !self.requestHasEnded else { return true }
        if self.request.body.expects(LargeBuffers.threshold) { self.beginLargeReads() }
        return false
    }

    /// The next bytes of the body as the client framed them; `nil` if the request has failed.
    private func takeFramed() -> ByteBuffer? {
        let action = self.request.body.readFramed(
            self.inbound,
            trailerFields: self.rules.table,
            limit: self.loop.settings.maxBodyBytes,
            inputClosed: self.flow.isInputClosed
        )
        return self.take(action)
    }

    /// The next bytes of the body without HTTP/1.1 framing; `nil` if the request has failed.
    private func takeContent() -> ByteBuffer? {
        let action = self.request.body.readContent(
            self.inbound,
            trailerFields: self.rules.table,
            limit: self.loop.settings.maxBodyBytes,
            inputClosed: self.flow.isInputClosed
        )
        return self.take(action)
    }

    private func take(_ action: RequestBodyRelay.ReadAction) -> ByteBuffer? {
        switch action {
        case .pass(let bytes, let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            return bytes
        case .passLast(let bytes, let consumed):
            _ = self.exchange.requestEnded()
            self.inbound.moveReaderIndex(forwardBy: consumed)
            return bytes
        case .refuse(let fault):
            // Fails the request while it still counts as incomplete: the rest of the body must not be read as another
            // request.
            self.fail(GateAnswer(fault))
            return nil
        case .close:
            self.dropUpstream()
            self.closeAfterWriting()
            return nil
        }
    }

    /// Forwards content from an HTTP/2 client, whose frames delimit the body.
    private func passContent(of stream: HTTP2Stream, to upstream: UpstreamConnection) {
        let isLast = stream.hasEndedRequest || self.isComplete(stream, for: upstream)
        // Small frames are collected while the backend accepts no data.
        guard isLast || self.inbound.readableBytes > 0 && upstream.isWritable else { return }
        let content = self.inbound
        self.inbound = self.loop.emptyBuffer
        let limit = self.loop.settings.maxBodyBytes
        guard self.request.body.receive(content, limit: limit) else {
            return self.fail(.contentTooLarge)
        }
        if isLast { _ = self.exchange.requestEnded() }
        self.write(content, isLast: isLast, to: upstream)
        self.renewDeadline()
    }

    /// Whether the request is complete for an HTTP/1.1 backend, where a body with a length cannot be followed by
    /// trailers (RFC 9112 section 6.3).
    private func isComplete(_ stream: HTTP2Stream, for upstream: UpstreamConnection) -> Bool {
        guard case .channel = upstream.transport else { return false }
        return stream.announcedLength?.isComplete ?? false
    }

    /// Writes content with the framing of the backend's HTTP version.
    ///
    /// `isLast`: whether only trailer fields, if any, follow.
    private func write(_ content: ByteBuffer, isLast: Bool, to upstream: UpstreamConnection) {
        if case .stream(let stream) = upstream.transport {
            return isLast
                ? stream.end(with: content, trailers: self.request.body.trailers)
                : stream.write(content)
        }
        guard self.request.body.isChunked else {
            if content.readableBytes > 0 { upstream.write(content) }
            return
        }
        var chunk = self.loop.takeBuffer()
        self.request.body.writeChunk(content, isLast: isLast, into: &chunk)
        upstream.write(chunk)
        self.loop.giveBack(chunk)
    }

    /// Reads the rest of an upload into large buffers, except over TLS.
    private func beginLargeReads() {
        guard !self.request.body.usesLargeReads, !self.origin.isSecure,
            case .channel(let output) = self.transport
        else { return }
        self.request.body.usesLargeReads = true
        output.useLargeReads(self.loop.largeBuffers)
    }

    /// Reads into buffers of the default size after an upload.
    func endLargeReads() {
        guard self.request.body.usesLargeReads, case .channel(let output) = self.transport
        else { return }
        output.useDefaultReads()
    }

    /// Resumes reading from the client, because the backend accepts more of the request.
    func upstreamBecameWritable() {
        if !self.requestHasEnded { self.renewDeadline() }
        self.settle()
    }

    /// Whether the request waits for the backend, and the backend has accepted bytes since the last check.
    ///
    /// The client cannot continue in the meantime, and a slow backend is not an unresponsive one.
    var isBackendReading: Bool {
        guard case .forwarding(let forwarding) = self.exchange, let upstream = self.upstream,
            forwarding.requestEnded ? upstream.hasUnsent : !upstream.isWritable
        else { return false }
        return upstream.hasProgressed()
    }

    /// Whether the client has sent the whole request.
    var requestHasEnded: Bool {
        if case .forwarding(let forwarding) = self.exchange { return forwarding.requestEnded }
        return true
    }
}
