import GatePolicy
import GateWire
import NIOCore

/// Answers that go on are judged again when the rules change, or when their time has come.
extension ClientConnection {
    /// Keeps a request that goes on, to be judged again.
    func keepRejudgeable(_ request: ForwardedRequest?, isWebSocket: Bool) {
        guard let request else { return }
        self.rejudgeable = RejudgeableRequest(
            received: request.received,
            validUntil: self.request.verdict?.validUntil,
            frames: isWebSocket ? WebSocketFrames() : nil,
            clientFrames: isWebSocket ? WebSocketFrames() : nil
        )
        // The rules may have changed between the request and its answer.
        if !self.request.isCall, self.rules !== self.loop.rules { self.judgeAgain() }
    }

    /// Judges what goes on by the rules of now, and ends it if it may not.
    func judgeAgain() {
        if case .streaming = self.exchange { return self.refreshStream() }
        guard let rejudgeable = self.rejudgeable, rejudgeable.revocation == nil else { return }
        guard !self.isWithBackendAlone else { return }
        guard let (verdict, denial) = self.currentVerdict(on: rejudgeable.received) else { return }
        self.rejudgeable?.validUntil = verdict.validUntil
        guard let denial else { return }
        self.loop.counters.revoked += 1
        if self.request.isCall, self.endCall(denial) { return }
        self.revoke(RejudgeableRequest.Revocation(verdict.decision))
        self.settle()
    }

    /// Whether a call was sent whole and nothing has come back: what the backend may have done by now
    /// must not look as if it had not been.
    private var isWithBackendAlone: Bool {
        guard self.request.isCall, case .forwarding(let forwarding) = self.exchange else {
            return false
        }
        return forwarding.requestEnded && !forwarding.responseStarted
    }

    /// The answer to a call has begun.
    func callGoesOn() {
        guard self.rules !== self.loop.rules else { return }
        // By the rules of now it may not go on. That of one message is over before this time.
        self.rejudgeable?.validUntil = Timestamp(secondsSinceEpoch: 0)
    }

    /// Ends a call with its status.
    ///
    /// - Returns: `false` where nobody can say whether it may stand there.
    private func endCall(_ denial: RenderedAnswer) -> Bool {
        guard case .forwarding(let forwarding) = self.exchange else { return false }
        if forwarding.responseStarted {
            guard self.request.framesContent else { return false }
            self.dropUpstream()
            self.writeEnd(of: denial)
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

    /// Ends the content of a call that has begun with the status of its denial.
    private func writeEnd(of denial: RenderedAnswer) {
        if case .stream(let stream) = self.transport {
            stream.append(trailers: denial.callTrailers.block)
            stream.endContent()
        } else {
            let end = Array("0\r\n".utf8) + denial.callTrailers.text + Array("\r\n".utf8)
            self.write(ByteBuffer(bytes: end))
        }
    }

    private func currentVerdict(on received: ReceivedHead) -> (Verdict, RenderedAnswer?)? {
        let rules = self.loop.rules
        let head = received.head(by: rules.table)
        let buffer = received.bytes
        let bytes = buffer.readableBytesUInt8Span
        guard let facts = try? RequestFacts(head, in: bytes) else { return nil }
        var last: RememberedVerdict?
        let verdict = rules.verdict(
            on: head,
            facts: facts,
            in: bytes,
            address: self.clientAddress(head, facts: facts, in: bytes),
            last: &last
        )
        return (verdict, rules.denial(of: verdict, on: head, in: bytes))
    }

    private func revoke(_ revocation: RejudgeableRequest.Revocation) {
        switch self.exchange {
        case .tunnel where self.rejudgeable?.frames != nil:
            self.rejudgeable?.revocation = revocation
            self.exchange.endTunnel(by: self.loop.now + self.loop.settings.timeouts.linger)
            self.renewDeadline()
            self.closeWebSocketIfBetweenFrames()
        case .tunnel:
            self.closeAfterWriting()
        case .forwarding where self.request.endsByClose:
            self.reset()
        case .forwarding:
            // Without its last chunk it does not look complete.
            self.dropUpstream()
            self.closeAfterWriting()
        case .head, .idle, .awaitingBody, .streaming, .lingering, .closed:
            break
        }
    }

    /// Ends a WebSocket because the gate is about to stop.
    ///
    /// - Returns: whether there is one.
    func closeWebSocket() -> Bool {
        guard case .tunnel = self.exchange, self.rejudgeable?.frames != nil else { return false }
        if self.rejudgeable?.revocation == nil {
            self.revoke(.shutdown)
            self.settle()
        }
        return true
    }

    /// Passes bytes of the client on, and notes where one of its frames ends.
    func passToTunnel(_ bytes: ByteBuffer, _ upstream: UpstreamConnection) {
        _ = self.rejudgeable?.clientFrames?.follow(bytes.readableBytesUInt8Span)
        upstream.write(bytes)
    }

    /// Passes bytes of the backend on, to the end of a frame if it is to be the last.
    func passFromTunnel(_ bytes: ByteBuffer) {
        guard self.rejudgeable?.frames != nil else { return self.write(bytes) }
        let isLast = self.rejudgeable?.revocation != nil
        let followed =
            self.rejudgeable?.frames?.follow(
                bytes.readableBytesUInt8Span,
                stopsBetweenFrames: isLast
            ) ?? 0
        guard isLast else { return self.write(bytes) }
        if let slice = bytes.getSlice(at: bytes.readerIndex, length: followed) { self.write(slice) }
        self.closeWebSocketIfBetweenFrames()
    }

    /// Tells the backend that its client goes away (1001), whatever the reason is.
    private func closeWebSocketOfBackend() {
        let key = UInt32.random(in: 0...UInt32.max)
        let frame = WebSocketFrames.close(1001, "going away", maskedBy: key)
        self.upstream?.write(ByteBuffer(bytes: frame))
        self.upstream?.flush()
    }

    private func closeWebSocketIfBetweenFrames() {
        guard let rejudgeable = self.rejudgeable, let revocation = rejudgeable.revocation,
            rejudgeable.frames?.isBetweenFrames == true
        else { return }
        // 1013 is the code of those that may come back later, 1008 of those that have to change, 1001 of
        // those that go (RFC 6455 section 7.4.1).
        let frame =
            switch revocation {
            case .upgrade: WebSocketFrames.close(1008, "upgrade required")
            case .brownout: WebSocketFrames.close(1013, "brownout")
            case .maintenance: WebSocketFrames.close(1013, "maintenance")
            case .shutdown: WebSocketFrames.close(1001, "going away")
            }
        self.write(ByteBuffer(bytes: frame))
        if rejudgeable.clientFrames?.isBetweenFrames == true { self.closeWebSocketOfBackend() }
        self.rejudgeable = nil
        self.dropUpstream()
        self.exchange.linger(limits: self.loop.settings.discardLimits)
        self.linger()
    }
}

/// A request whose answer goes on (a WebSocket, a stream of events), so that other rules may come
/// to forbid it while it runs.
struct RejudgeableRequest {
    /// The head of the request.
    let received: ReceivedHead
    /// The second from which on the verdict may be another one; `nil`: only with other rules.
    var validUntil: Timestamp?
    /// The frames from the backend to the client; `nil` if they are none.
    var frames: WebSocketFrames?
    /// Those from the client to the backend.
    var clientFrames: WebSocketFrames?
    /// Why it ends as soon as a frame of the gate may stand between those of the backend; `nil` as
    /// long as it may go on.
    var revocation: Revocation?

    /// Why a request may not go on.
    enum Revocation {
        /// Until the client is another one.
        case upgrade
        /// For a while.
        case brownout, maintenance
        /// The gate ends.
        case shutdown

        init(_ decision: Decision) {
            self =
                decision.kind == .maintenance
                ? .maintenance : decision.brownout == nil ? .upgrade : .brownout
        }
    }
}
