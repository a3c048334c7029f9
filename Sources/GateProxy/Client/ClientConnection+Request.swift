import GateCensus
import GatePolicy
import GateWire
import NIOCore

/// Reading requests.
extension ClientConnection {
    /// Processes the received bytes as far as the exchange permits.
    func processInbound() {
        var hasMore = true
        while hasMore {
            switch self.exchange {
            case .head, .idle: hasMore = self.readHead()
            case .forwarding(let forwarding):
                hasMore = !forwarding.requestEnded && self.passBody()
            case .streaming:
                self.inbound = ByteBuffer()
                hasMore = false
            case .awaitingBody: hasMore = self.awaitBody()
            case .awaitingMessage(let call): hasMore = self.awaitMessage(of: call)
            case .lingering: hasMore = self.discardInbound()
            case .tunnel: hasMore = self.passTunnel()
            case .closed:
                self.inbound = ByteBuffer()
                hasMore = false
            }
        }
    }

    /// - Returns: Whether there may be more to read.
    private func readHead() -> Bool {
        // Pending responses affect `isWritable` only once they are passed to the channel. Without this check, the
        // responses to many small requests from one read could take up megabytes of memory.
        if let outbound = self.outbound, outbound.readableBytes > Self.outboundLimit {
            self.flush()
        }
        guard self.inbound.readableBytes > 0, self.isWritable else { return false }
        if self.rules !== self.loop.rules { self.heads.use(self.loop.rules) }
        self.request.timing.begin(on: self.loop)
        let inbound = self.inbound
        let bytes = inbound.readableBytesUInt8Span
        let table = self.rules.table
        switch self.heads.parser.parse(bytes, table: table) {
        case .incomplete where self.flow.isInputClosed:
            self.closeAfterWriting()
            return false
        case .incomplete:
            if self.exchange.headBegan() { self.renewDeadline() }
            return false
        case .malformed(let fault):
            if !self.detectHTTP2Preface() { self.refuse(GateAnswer(fault)) }
            return false
        case .complete:
            self.inbound.moveReaderIndex(forwardBy: self.heads.parser.head.end)
            // The head is moved out and back, which costs less than copying the parts that may change.
            if self.origin.isGateway {
                var head = self.heads.parser.takeHead()
                self.serveGateway(&head, in: bytes)
                self.heads.parser.reuse(head)
            } else {
                let head = self.heads.parser.takeHead()
                self.receive(head, in: bytes)
                self.heads.parser.reuse(head)
            }
            return true
        }
    }

    private static let outboundLimit = 64 * 1024

    @inline(__always)
    func receive(_ head: RequestHead, in bytes: Span<UInt8>) {
        do throws(MessageFault) {
            let facts = try RequestFacts(head, in: bytes)
            self.evaluate(head, facts: facts, in: bytes)
        } catch {
            self.refuse(GateAnswer(error))
        }
    }

    /// Handles the head of a stream's request.
    func received(_ head: RequestHead, in bytes: Span<UInt8>) {
        self.request.timing.begin(on: self.loop)
        if self.origin.isGateway {
            var head = head
            self.serveGateway(&head, in: bytes)
        } else {
            self.receive(head, in: bytes)
        }
        self.settle()
    }

    /// Handles the trailer fields of a stream's request.
    func received(trailers: HeaderList) {
        if self.exchange.takesContent {
            guard trailers.isForwardableTrailerSection else {
                return self.fail(GateAnswer(.trailer))
            }
            self.request.body.receive(trailers: trailers)
        }
        self.settle()
    }

    /// Evaluates a request whose head was read, and denies or forwards it.
    private func evaluate(_ head: RequestHead, facts: RequestFacts, in bytes: Span<UInt8>) {
        let loop = self.loop
        if let endpoint = ClientEndpoint(head, in: bytes), loop.settings.servesClients {
            // A 2xx response from an endpoint would open a WebSocket over HTTP/2.
            guard self.webSocketKey == nil else {
                let answer = RenderedAnswer(GateAnswer(.unsupportedProtocol))
                return self.answer(answer, facts: facts)
            }
            return self.serve(endpoint, head, facts: facts, in: bytes)
        }
        var verdict =
            facts.hasGateOwnedField
            ? self.countedVerdictWithPass(on: head, facts: facts, in: bytes)
            : self.countedVerdict(on: head, facts: facts, in: bytes)
        // The access log contains this verdict even if the response shows a preview.
        if let log = loop.accessLog {
            self.beginLogEntry(of: log, head, facts: facts, in: bytes, verdict: verdict)
        }
        if facts.hasGateOwnedField {
            verdict = self.previewed(verdict, head, facts: facts, in: bytes)
        }
        if facts.forwardedForLine != nil, !self.origin.isTrusted {
            loop.untrustedProxy?.report(self.origin.address)
        }
        // The other members were set by `nextRequest()`; building a new request would cost more.
        self.request.verdict = verdict
        self.request.response.begin(isHead: facts.isHead, isHTTP10: head.minorVersion == 0)
        self.request.isCall = facts.isCall
        self.request.body.begin(facts.framing)
        if let denial = verdict.denial {
            self.noteOrigin(of: head, facts: facts, in: bytes)
            if facts.framing != .none, self.origin.isTrusted {
                let address = self.clientAddress(head, facts: facts, in: bytes)
                self.request.discards.forwardedClient = ClientNetwork(address)
            }
            // Copied, because sending the response may end the request and clear it.
            let timing = self.request.timing
            self.deny(denial, head, facts: facts, in: bytes)
            timing.denied(on: loop)
        } else if self.exceedsBodyLimit(facts.framing) {
            self.refuse(.contentTooLarge)
        } else if facts.forwardsLeft == 0 {
            let isTrace = head.method("TRACE", in: bytes)
            self.answer(MaxForwardsAnswer.answer(isTrace: isTrace), facts: facts)
        } else {
            self.forward(head, facts: facts, in: bytes, verdict: verdict)
        }
    }

    /// Sends a denial with the client's version inserted.
    private func deny(
        _ denial: RenderedAnswer,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) {
        guard !denial.isWhole else { return self.answer(denial, facts: facts) }
        let isAnswered: Void? = self.rules.withVersion(of: head, in: bytes) { version in
            self.answer(denial, facts: facts, version: version)
        }
        // Not reached: a denial with gaps is only shared by clients that send a version.
        if isAnswered == nil { self.answer(denial, facts: facts) }
    }

    /// Stores the origin of the web app that must be able to read the response.
    func noteOrigin(of head: RequestHead, facts: RequestFacts, in bytes: Span<UInt8>) {
        guard let index = facts.originLine else { return }
        let line = head.fields.lines[index]
        self.request.origin = bytes.text(from: line.valueStart, to: line.valueEnd)
    }

    /// The client's address: that of the peer, or the one that a trusted proxy sends.
    func clientAddress(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> String {
        self.origin.clientAddress(
            head,
            facts: facts,
            in: bytes,
            trusted: self.loop.settings.trustedProxies
        )
    }

    private func exceedsBodyLimit(_ framing: BodyFraming) -> Bool {
        guard let limit = self.loop.settings.maxBodyBytes, case .length(let length) = framing
        else { return false }
        return length > limit
    }

    /// Whether another request may be read from this connection, and can still arrive.
    var acceptsNextRequest: Bool {
        !self.loop.isDraining && !(self.flow.isInputClosed && self.inbound.readableBytes == 0)
    }

    /// Prepares for the next request on this connection.
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

    /// Whether the gate is draining and a last request may still arrive, because the client was told that it may send
    /// one.
    private var mayAwaitLast: Bool {
        guard self.loop.isDraining, !self.flow.isInputClosed, case .channel = self.transport else {
            return false
        }
        return self.loop.drainGrace > .zero || self.inbound.readableBytes > 0 || self.hasUnread
    }
}

/// Discarding request bodies.
extension ClientConnection {
    /// Discards the body of a denied request if the body is complete and small.
    func discardsWholeBody() -> Bool {
        let inbound = self.inbound
        let most = self.loop.settings.discardLimits.awaitedBytes
        guard inbound.readableBytes > 0,
            // An incomplete body is read from its beginning by `awaitBody()`.
            let count = self.request.body.countToEnd(in: inbound, trailerFields: self.rules.table),
            count <= most
        else { return false }
        self.inbound.moveReaderIndex(forwardBy: count)
        self.loop.counters.discardedBytes += UInt64(count)
        return true
    }

    /// Discards a complete body that was not sent to a backend: the client has sent the whole request, and may send
    /// another one.
    func discardUnsentBody() {
        guard !self.transport.isStream, !self.requestHasEnded else { return }
        let body = self.inbound
        guard let count = self.request.body.countToEnd(in: body, trailerFields: self.rules.table)
        else { return }
        self.inbound.moveReaderIndex(forwardBy: count)
        _ = self.exchange.requestEnded()
    }

    /// Discards the rest of a small body, and then writes the response that was held until then.
    ///
    /// - Returns: Whether there may be more to read.
    private func awaitBody() -> Bool {
        let inbound = self.inbound
        let limits = self.loop.settings.discardLimits
        switch self.request.body.discard(inbound, trailerFields: self.rules.table) {
        case .more where self.flow.isInputClosed:
            self.answerHeld(keepsClient: false)
            return false
        case .more(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            self.loop.counters.discardedBytes += UInt64(consumed)
            guard self.exchange.awaited(bytes: consumed, limits: limits) == .answerAndLinger else {
                return false
            }
            self.answerHeld(keepsClient: false)
            return true
        case .end(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            self.loop.counters.discardedBytes += UInt64(consumed)
            guard self.exchange.requestEnded() == .answer else { return false }
            self.answerHeld(keepsClient: self.acceptsNextRequest)
            return true
        case .malformed:
            // The start of the next request is unknown.
            self.answerHeld(keepsClient: false)
            return true
        }
    }

    /// Discards the bytes that arrive after the last response.
    private func discardInbound() -> Bool {
        let count = self.inbound.readableBytes
        guard count > 0 else { return false }
        self.inbound = ByteBuffer()
        if case .rest = self.exchange.wait { self.renewDeadline() }
        let cut: DiscardCut? =
            if self.exchange.discarded(bytes: count) == .close {
                .size
            } else {
                self.chargeDiscarded(count) ? nil : .budget
            }
        if let cut {
            self.loop.counters.countCut(cut)
            self.abort()
        } else {
            self.loop.counters.discardedBytes += UInt64(count)
        }
        return false
    }

    /// The client whose budget is charged for discarded bytes; `nil` if a trusted proxy does not forward the client's
    /// address.
    var discardClient: ClientNetwork? {
        self.origin.isTrusted
            ? self.request.discards.forwardedClient : ClientNetwork(self.origin.address)
    }

    private func chargeDiscarded(_ count: Int) -> Bool {
        let client = self.discardClient
        return self.request.discards.charge(count, to: client, self.clients.discardBudget)
    }
}

/// The access log.
extension ClientConnection {
    func beginLogEntry(
        of log: AccessLog,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        verdict: Verdict
    ) {
        let loop = self.loop
        let line = ForwardedRequest.clientRequestID(head, facts: facts, bytes: bytes)
        self.request.logEntry = log.begin(
            head,
            in: bytes,
            of: self.clientAddress(head, facts: facts, in: bytes),
            isHTTP2: self.transport.isStream,
            verdict: verdict,
            id: line.map { .given($0) } ?? .new(loop.nextRequestID()),
            at: loop.measuresLatency ? self.request.timing.headReadAt : .now()
        )
    }

    func finishLogEntry() {
        guard let log = self.loop.accessLog, let entry = self.request.logEntry.take()
        else { return }
        log.end(entry)
    }
}
