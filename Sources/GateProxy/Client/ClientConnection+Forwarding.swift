import GateWire
import Logging
import NIOCore

/// The way of a request to a backend.
extension ClientConnection {
    /// Sends a request on that may pass.
    func forward(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        verdict: Verdict
    ) {
        if let overload = self.loop.overload { return self.shed(overload, facts: facts) }
        self.beginPending()
        let webSocketKey = self.webSocketKey
        let request = ForwardedRequest(
            head,
            facts: facts,
            in: bytes,
            copiedInto: self.loop.takeBuffer(),
            verdict: verdict,
            origin: self.origin,
            upstreamAuthority: self.loop.upstreamAuthority,
            webSocketKey: webSocketKey,
            newRequestID: { self.request.logEntry?.newRequestID ?? self.loop.nextRequestID() }
        )
        if facts.offersUpgrade {
            self.request.offeredProtocols = request.upgradeTokens.map { $0.lowercased() }
        }
        self.exchange.forward(
            Exchange.Forwarding(
                requestEnded: facts.framing == .none,
                keepsClient: facts.keepsAlive && self.mayGoOn,
                retryable: false,
                offersUpgrade: !self.request.offeredProtocols.isEmpty,
                isConnect: webSocketKey != nil
            )
        )
        // A body that is broken from its first bytes is refused before the backend hears of it.
        if let refusal = self.refusalOfBody { return self.fail(refusal) }
        self.request.forwarded = request
        if self.request.isCall { self.keepRejudgeable(request, isWebSocket: false) }
        self.send(request)
    }

    private func send(_ request: ForwardedRequest) {
        guard let choice = self.clients.pool.next(at: self.loop.now) else {
            return self.failForWantOfAddress()
        }
        guard let upstream = choice.member.take(upgrading: self.isUpgrading) else {
            self.requestWasForwarded()
            return self.connect(to: choice, sending: request)
        }
        self.request.trial = choice.trial
        if request.isRepeatable, upstream.mayBeStale { self.exchange.allowRetry() }
        self.attach(upstream, sending: request)
        self.requestWasForwarded()
    }

    private var isUpgrading: Bool { !self.request.offeredProtocols.isEmpty }

    private func attach(_ upstream: UpstreamConnection, sending request: ForwardedRequest) {
        self.upstream = upstream
        upstream.begin(for: self, answersHead: self.request.isHead)
        self.write(request, to: upstream)
        guard self.upstream === upstream else { return }
        // A call may have nothing to say for long, and a backend may wait for a whole body.
        if !self.request.isCall, self.requestHasEnded {
            upstream.member?.asked(at: self.loop.now)
        }
        self.renewDeadline()
    }

    /// Writes a request in the version of HTTP that its connection speaks, with what is there of its body.
    private func write(_ request: ForwardedRequest, to upstream: UpstreamConnection) {
        let hasBody = request.facts.framing != .none
        let sent = self.request.sent.take()
        switch upstream.transport {
        case .channel:
            var buffer = self.loop.takeBuffer()
            RequestHeadWriter.write(request, into: &buffer)
            if !request.isRepeatable, !self.request.isCall { self.forget(request) }
            if hasBody, !self.request.passesContent, !self.transport.isStream {
                self.writeFirstPiece(behind: &buffer, to: upstream)
            } else {
                upstream.write(buffer)
            }
            self.loop.giveBack(buffer)
        case .stream(let stream):
            stream.begin(request)
            if hasBody {
                self.request.passesContent = true
                self.request.sent = SentContent()
            }
        case .none: return
        }
        guard hasBody else { return }
        if let sent {
            self.request.sent?.append(sent.bytes)
            self.write(sent.bytes, isLast: self.requestHasEnded, to: upstream)
        }
        if !self.requestHasEnded { _ = self.passBody() }
    }

    /// Writes the first piece of a body with the head, which costs less on its way through the kernel than two pieces.
    private func writeFirstPiece(
        behind head: inout ByteBuffer,
        to upstream: UpstreamConnection
    ) {
        guard let piece = self.takeBody() else { return }
        guard piece.readableBytes > Self.copyLimit else {
            head.writeImmutableBuffer(piece)
            return upstream.write(head)
        }
        upstream.write(head)
        upstream.write(piece)
    }

    /// A request that is not sent again needs its memory no more.
    private func forget(_ request: ForwardedRequest) {
        self.request.forwarded = nil
        self.loop.giveBack(request.bytes)
    }

    /// Sends a request that nobody has seen on another connection.
    func sendAnew() {
        guard let request = self.request.forwarded, self.request.sent?.isTooLong != true else {
            return self.fail(.badGateway)
        }
        guard let choice = self.clients.pool.next(at: self.loop.now) else {
            return self.failForWantOfAddress()
        }
        self.connect(to: choice, sending: request)
    }

    /// Sends a request that may be repeated to another address than the one that keeps silent about it.
    ///
    /// One that is left out would more likely have its client wait twice for nothing.
    func askAnother() {
        guard let member = self.upstream?.member, let request = self.request.forwarded else {
            return self.fail(.gatewayTimeout)
        }
        member.answerFailed(isSilent: true)
        let now = self.loop.now
        guard let other = self.clients.pool.next(at: now, besides: [member], insisting: false)
        else { return self.fail(.gatewayTimeout) }
        self.dropUpstream()
        self.connect(to: other, sending: request, tried: [member])
    }

    /// Opens a connection to the backend; the request waits for it.
    ///
    /// `tried`: the addresses that could not be reached.
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
        self.clients.pool.connect(to: member, upgrading: self.isUpgrading) { result in
            guard let request = self.exchange.endConnecting() else {
                // The client went away in the meantime; the next one is glad of the connection.
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

    private func failForWantOfAddress() {
        self.clients.pool.reportNoAddress()
        self.fail(.unreachable)
    }

    /// Nothing was sent yet, so that another address may have the request.
    private func connectFailed(
        _ error: UpstreamPool.ConnectError,
        sending request: ForwardedRequest,
        tried: [UpstreamPool.Member]
    ) {
        // No other address helps against that.
        if error.isOutOfDescriptors {
            self.loop.refused(.descriptors, ["error": "\(error.cause)"])
            return self.fail(.outOfDescriptors)
        }
        let mayWait = !error.isTimeout || tried.count < Self.mostWaits
        guard mayWait,
            // One that is not known to serve must at least fail soon.
            let other = self.clients.pool.next(
                at: self.loop.now,
                besides: tried,
                insisting: !error.isTimeout && tried.count < Self.mostInDoubt
            )
        else { return self.fail(error.isTimeout ? .connectTimeout : .unreachable) }
        self.connect(to: other, sending: request, tried: tried)
    }

    /// Addresses that are tried for one request before those that are left out are left alone.
    ///
    /// Those that serve are all tried: whoever finds one that does not spares everybody else.
    private static let mostInDoubt = 3
    /// Addresses after which a request does not go on waiting for another connection.
    private static let mostWaits = 3
}
