import GatePolicy
import NIOCore

/// Answers that go on are judged again when the rules change, or when their time has come.
extension ClientConnection {
    /// Keeps a request that goes on, to be judged again.
    func keepLasting(_ head: ByteBuffer?, isWebSocket: Bool) {
        guard let head else { return }
        self.lasting = LastingRequest(
            head: head,
            validUntil: self.request.verdict?.validUntil,
            frames: isWebSocket ? WebSocketFrames() : nil
        )
        // The rules may have changed between the request and its answer.
        if self.rules !== self.worker.rules { self.judgeAgain() }
    }

    /// Judges what goes on by the rules of now, and ends it if it may not.
    func judgeAgain() {
        if self.events != nil { return self.refreshStream() }
        guard let lasting = self.lasting, lasting.revocation == nil else { return }
        guard let verdict = self.currentVerdict(on: lasting.head) else { return }
        self.lasting?.validUntil = verdict.validUntil
        guard verdict.denial != nil else { return }
        self.worker.counters.revoked += 1
        self.revoke(verdict.decision.kind)
    }

    private func currentVerdict(on request: ByteBuffer) -> Verdict? {
        let bytes = request.readableBytesUInt8Span
        let rules = self.worker.rules
        var parser = RequestHeadParser(limits: self.worker.settings.headLimits)
        guard parser.parse(bytes, table: rules.table) == .complete,
            let facts = try? RequestFacts(parser.head, in: bytes)
        else { return nil }
        var last: RememberedVerdict?
        return rules.verdict(
            on: parser.head,
            facts: facts,
            in: bytes,
            address: self.clientAddress(parser.head, facts: facts, in: bytes),
            fieldsGeneration: parser.fieldsGeneration,
            last: &last
        )
    }

    private func revoke(_ kind: Decision.Kind) {
        switch self.exchange {
        case .tunnel where self.lasting?.frames != nil:
            self.lasting?.revocation = kind
            self.deadline = self.worker.now + self.worker.settings.timeouts.linger
            self.closeWebSocketIfBetweenFrames()
        case .tunnel:
            self.closeAfterWriting()
        case .forwarding where self.request.endsByClose:
            self.reset()
        case .forwarding:
            // Without its last chunk it does not look complete.
            self.dropUpstream()
            self.closeAfterWriting()
        case .head, .streaming, .discarding, .lingering, .closed:
            break
        }
    }

    /// Passes bytes of the backend on, to the end of a frame if it is to be the last.
    func passFromTunnel(_ bytes: ByteBuffer) {
        guard self.lasting?.frames != nil else { return self.write(bytes) }
        let isLast = self.lasting?.revocation != nil
        let followed =
            self.lasting?.frames?.follow(
                bytes.readableBytesUInt8Span,
                stopsBetweenFrames: isLast
            ) ?? 0
        guard isLast else { return self.write(bytes) }
        if let slice = bytes.getSlice(at: bytes.readerIndex, length: followed) { self.write(slice) }
        self.closeWebSocketIfBetweenFrames()
    }

    private func closeWebSocketIfBetweenFrames() {
        guard let lasting = self.lasting, let kind = lasting.revocation,
            lasting.frames?.isBetweenFrames == true
        else { return }
        let frame =
            kind == .maintenance
            ? WebSocketFrames.close(1013, "maintenance")
            : WebSocketFrames.close(1008, "upgrade required")
        self.write(ByteBuffer(bytes: frame))
        self.lasting = nil
        self.dropUpstream()
        self.exchange = .lingering(budget: self.worker.settings.discardLimits.lingerBytes)
        self.linger()
        self.resumeReading()
    }
}
