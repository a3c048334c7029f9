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
        var buffer = self.loop.takeBuffer()
        let webSocketKey = self.webSocketKey
        self.headWriter.write(
            head,
            facts: facts,
            bytes: bytes,
            verdict: verdict,
            webSocketKey: webSocketKey,
            newRequestID: { self.request.logEntry?.newRequestID ?? self.loop.nextRequestID() },
            into: &buffer
        )
        if facts.offersUpgrade {
            self.request.offeredProtocols =
                RequestHeadWriter.upgradeTokens(head, facts: facts, bytes: bytes)?
                .lowercased().split(separator: ", ").map(String.init) ?? []
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
        var pieces = [ByteBuffer]()
        if facts.framing != .none {
            guard let piece = self.takeBody() else { return }
            if piece.readableBytes <= Self.copyLimit {
                buffer.writeImmutableBuffer(piece)
            } else {
                pieces.append(piece)
            }
        }
        let mayRepeat = facts.isIdempotent && facts.framing == .none
        self.request.replay = mayRepeat ? buffer : nil
        if self.request.isCall { self.keepRejudgeable(buffer, isWebSocket: false) }
        self.send(buffer, pieces)
    }

    private func send(_ head: ByteBuffer, _ body: [ByteBuffer]) {
        guard let choice = self.clients.pool.next(at: self.loop.now) else {
            return self.failForWantOfAddress()
        }
        guard let upstream = choice.member.take(upgrading: self.isUpgrading) else {
            self.requestWasForwarded()
            return self.connect(to: choice, sending: [head] + body)
        }
        self.request.trial = choice.trial
        if self.request.replay != nil, upstream.mayBeStale { self.exchange.allowRetry() }
        self.attach(upstream)
        upstream.write(head)
        for piece in body { upstream.write(piece) }
        self.requestWasForwarded()
        // A head that may be sent again is given back when the answer comes.
        if self.request.replay == nil { self.loop.giveBack(head) }
    }

    private var isUpgrading: Bool { !self.request.offeredProtocols.isEmpty }

    private func attach(_ upstream: UpstreamConnection) {
        self.upstream = upstream
        // A call may have nothing to say for long, and a backend may wait for a whole body.
        if !self.request.isCall, self.requestHasEnded {
            upstream.member?.asked(at: self.loop.now)
        }
        self.renewDeadline()
        upstream.begin(for: self, answersHead: self.request.isHead)
    }

    /// Sends a request that nobody has seen on another connection.
    func sendAnew(_ buffers: [ByteBuffer]) {
        guard let choice = self.clients.pool.next(at: self.loop.now) else {
            return self.failForWantOfAddress()
        }
        self.connect(to: choice, sending: buffers)
    }

    /// Sends a request that may be repeated to another address than the one that keeps silent about it.
    ///
    /// One that is left out would more likely have its client wait twice for nothing.
    func askAnother() {
        guard let member = self.upstream?.member, let request = self.request.replay else {
            return self.fail(.gatewayTimeout)
        }
        member.answerFailed(isSilent: true)
        let now = self.loop.now
        guard let other = self.clients.pool.next(at: now, besides: [member], insisting: false)
        else { return self.fail(.gatewayTimeout) }
        self.dropUpstream()
        self.connect(to: other, sending: [request], tried: [member])
    }

    /// Opens a connection to the backend; the request waits for it.
    ///
    /// `tried`: the addresses that could not be reached.
    private func connect(
        to choice: UpstreamPool.Choice,
        sending buffers: [ByteBuffer],
        tried: [UpstreamPool.Member] = []
    ) {
        let member = choice.member
        self.request.trial = choice.trial
        self.beginPending()
        self.exchange.connect(sending: buffers)
        self.renewDeadline()
        self.clients.pool.connect(to: member, upgrading: self.isUpgrading) { result in
            guard let buffers = self.exchange.endConnecting() else {
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
                self.attach(upstream)
                for buffer in buffers { upstream.write(buffer) }
                self.settle()
            case .failure(let error):
                self.connectFailed(error, sending: buffers, tried: tried + [member])
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
        sending buffers: [ByteBuffer],
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
        self.connect(to: other, sending: buffers, tried: tried)
    }

    /// Addresses that are tried for one request before those that are left out are left alone.
    ///
    /// Those that serve are all tried: whoever finds one that does not spares everybody else.
    private static let mostInDoubt = 3
    /// Addresses after which a request does not go on waiting for another connection.
    private static let mostWaits = 3
}
