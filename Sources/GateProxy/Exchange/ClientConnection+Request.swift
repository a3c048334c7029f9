import GatePolicy
import Logging
import NIOCore

extension ClientConnection {
    /// Uses up what was received, as far as the exchange allows.
    func readOn() {
        var goesOn = true
        while goesOn {
            switch self.exchange {
            case .head: goesOn = self.readHead()
            case .forwarding(let forwarding):
                goesOn = !forwarding.requestEnded && self.passBody()
            case .streaming:
                self.inbound = ByteBuffer()
                goesOn = false
            case .discarding: goesOn = self.discardBody()
            case .lingering: goesOn = self.discardAll()
            case .tunnel: goesOn = self.passTunnel()
            case .closed:
                self.inbound = ByteBuffer()
                goesOn = false
            }
        }
    }

    /// - Returns: whether there may be more to read.
    private func readHead() -> Bool {
        // Answers that wait here count as unwritten only once the channel has them: without this, one
        // read full of small requests could pile up megabytes.
        if let outbound = self.outbound, outbound.readableBytes > Self.outboundLimit {
            self.flush()
        }
        guard self.inbound.readableBytes > 0, self.isWritable else { return false }
        if self.rules !== self.worker.rules {
            // The table that tells fields apart belongs to the rules: begin the head again.
            self.rules = self.worker.rules
            self.parser.resetForNewTable()
        }
        let inbound = self.inbound
        let bytes = inbound.readableBytesUInt8Span
        switch self.parser.parse(bytes, table: self.rules.table) {
        case .incomplete where self.inputClosed:
            self.closeAfterWriting()
            return false
        case .incomplete:
            if !self.hasHeadDeadline { self.beginHeadDeadline() }
            return false
        case .malformed(let fault):
            if !self.beginsHTTP2() { self.refuse(GateAnswer(fault)) }
            return false
        case .complete:
            self.hasHeadDeadline = false
            self.inbound.moveReaderIndex(forwardBy: self.parser.head.end)
            self.judge(self.parser.head, in: bytes)
            return true
        }
    }

    private static let outboundLimit = 64 * 1024

    private func beginHeadDeadline() {
        self.hasHeadDeadline = true
        self.deadline = self.worker.now + self.worker.settings.timeouts.head
    }

    private func judge(_ head: RequestHead, in bytes: Span<UInt8>) {
        let facts: RequestFacts
        do throws(MessageFault) {
            facts = try RequestFacts(head, in: bytes)
        } catch {
            return self.refuse(GateAnswer(error))
        }
        if let endpoint = ClientEndpoint(head, in: bytes), self.worker.settings.servesClients {
            return self.serve(endpoint, head, facts: facts, in: bytes)
        }
        let verdict = self.rules.verdict(
            on: head,
            facts: facts,
            in: bytes,
            address: self.rules.dependsOnAddress
                ? self.clientAddress(head, facts: facts, in: bytes) : "",
            fieldsGeneration: self.parser.fieldsGeneration,
            last: &self.lastVerdict
        )
        self.worker.counters.count(verdict.decision)
        self.request = Request(
            verdict: verdict,
            isHead: facts.isHead,
            isHTTP10: head.minorVersion == 0,
            awaitsContinue: facts.expectsContinue && facts.framing != .none,
            isCall: facts.answerForm == .grpc
        )
        if self.worker.accessLog != nil { self.beginLogEntry(head, facts: facts, in: bytes) }
        self.body = BodyReader(facts.framing)
        if let denial = verdict.denial {
            self.noteOrigin(of: head, facts: facts, in: bytes)
            self.answer(denial, facts: facts)
        } else if self.exceedsBodyLimit(facts.framing) {
            self.refuse(.contentTooLarge)
        } else {
            self.forward(head, facts: facts, in: bytes, verdict: verdict)
        }
    }

    /// Keeps the origin for which the answer must be readable.
    func noteOrigin(of head: RequestHead, facts: RequestFacts, in bytes: Span<UInt8>) {
        guard let index = facts.originLine else { return }
        let line = head.fields.lines[index]
        self.request.origin = bytes.text(from: line.valueStart, to: line.valueEnd)
    }

    /// The address that the request comes from: the peer's, or what a trusted proxy says.
    func clientAddress(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> String {
        guard self.origin.isTrusted, facts.forwardedForLine != nil else {
            return self.origin.address
        }
        var addresses: [String] = []
        for line in head.fields.lines where line.role == .forwarded(.for) {
            bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
                addresses.append(bytes.text(from: start, to: end))
                return true
            }
        }
        return self.worker.settings.trustedProxies.clientAddress(in: addresses)
            ?? self.origin.address
    }

    private func exceedsBodyLimit(_ framing: BodyFraming) -> Bool {
        guard let limit = self.worker.settings.maxBodyBytes, case .length(let length) = framing
        else { return false }
        return length > limit
    }

    private func forward(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        verdict: Verdict
    ) {
        if let overload = self.worker.overload { return self.shed(overload, facts: facts) }
        self.beginPending()
        var buffer = self.worker.takeBuffer()
        RequestHeadWriter(origin: self.origin, upstreamAuthority: self.worker.upstreamAuthority)
            .write(
                head,
                facts: facts,
                bytes: bytes,
                verdict: verdict,
                newRequestID: {
                    self.request.logEntry?.newRequestID ?? self.worker.nextRequestID()
                },
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
                offersUpgrade: !self.request.offeredProtocols.isEmpty
            )
        )
        // A body that is broken from its first bytes is refused before the backend hears of it.
        var pieces = [ByteBuffer]()
        if facts.framing != .none {
            guard let piece = self.takeBody() else { return }
            if piece.readableBytes > 0 { pieces.append(piece) }
        }
        let mayRepeat = facts.isIdempotent && facts.framing == .none
        self.request.replay = mayRepeat ? buffer : nil
        if self.request.isCall { self.keepLasting(buffer, isWebSocket: false) }
        self.send(buffer, pieces)
    }

    private func send(_ head: ByteBuffer, _ body: [ByteBuffer]) {
        guard let member = self.worker.pool.next(at: self.worker.now) else {
            return self.failSoon([head] + body)
        }
        guard let upstream = member.take(upgrading: self.isUpgrading) else {
            return self.connect(to: member, sending: [head] + body)
        }
        if self.request.replay != nil, upstream.mayBeStale { self.exchange.allowRetry() }
        self.attach(upstream)
        upstream.write(head)
        for piece in body { upstream.write(piece) }
        // What may be sent again is given back when the answer comes.
        if self.request.replay == nil { self.worker.giveBack(head) }
    }

    private var isUpgrading: Bool { !self.request.offeredProtocols.isEmpty }

    private func attach(_ upstream: UpstreamConnection) {
        self.upstream = upstream
        self.renewDeadline()
        upstream.begin(for: self, answersHead: self.request.isHead)
    }

    /// Sends a request that nobody has seen on another connection.
    func sendAnew(_ buffers: [ByteBuffer]) {
        guard let member = self.worker.pool.next(at: self.worker.now) else {
            return self.failSoon(buffers)
        }
        self.connect(to: member, sending: buffers)
    }

    /// Opens a connection to the backend; the request waits for it.
    ///
    /// `tried`: the addresses that could not be reached.
    private func connect(
        to member: UpstreamPool.Member,
        sending buffers: [ByteBuffer],
        tried: [UpstreamPool.Member] = []
    ) {
        self.beginPending()
        self.unsent = buffers
        self.deadline = nil
        self.worker.pool.connect(to: member, upgrading: self.isUpgrading) { result in
            guard let buffers = self.unsent else {
                // The client went away in the meantime; the next one is glad of the connection.
                if case .success(let upstream) = result {
                    upstream.release(reusable: !self.worker.isDraining, now: self.worker.now)
                }
                return
            }
            self.unsent = nil
            switch result {
            case .success(let upstream) where !upstream.isActive:
                self.fail(.badGateway)
            case .success(let upstream):
                self.attach(upstream)
                for buffer in buffers { upstream.write(buffer) }
                self.readOn()
                upstream.flush()
                self.resumeReading()
            case .failure(let error):
                self.connectFailed(error, sending: buffers, tried: tried + [member])
            }
        }
    }

    /// Fails for want of any address, as late as a connection would: answered at once, the requests
    /// of one read would be answered one within the other.
    private func failSoon(_ buffers: [ByteBuffer]) {
        self.unsent = buffers
        self.deadline = nil
        self.worker.eventLoop.assumeIsolated().execute {
            guard self.unsent.take() != nil else { return }
            self.worker.pool.reportNoAddress()
            self.fail(.unreachable)
        }
    }

    /// Nothing was sent yet, so that another address may have the request.
    private func connectFailed(
        _ error: UpstreamPool.ConnectError,
        sending buffers: [ByteBuffer],
        tried: [UpstreamPool.Member]
    ) {
        // No other address helps against that.
        if error.isOutOfDescriptors {
            self.worker.refused(.descriptors, ["error": "\(error.cause)"])
            return self.fail(.outOfDescriptors)
        }
        guard tried.count < Self.mostAddresses,
            // After a wait for nothing, another one must at least be likely to end well.
            let other = self.worker.pool.next(
                at: self.worker.now,
                besides: tried,
                insisting: !error.isTimeout
            )
        else { return self.fail(error.isTimeout ? .connectTimeout : .unreachable) }
        self.connect(to: other, sending: buffers, tried: tried)
    }

    /// Addresses that are tried for one request.
    private static let mostAddresses = 3
}

extension ClientConnection {
    /// The next piece of the request's body, empty if none is there; `nil`: it was malformed and
    /// the request is refused.
    private func takeBody() -> ByteBuffer? {
        if self.inbound.readableBytes > 0 { self.request.awaitsContinue = false }
        let inbound = self.inbound
        let progress = self.body.consume(
            inbound.readableBytesUInt8Span,
            trailerFields: self.rules.table
        ) { start, end in
            self.request.bodyBytes += UInt64(end - start)
        }
        // Refused while the request still counts as unfinished: what follows on this connection
        // must never be taken for another request.
        if let limit = self.worker.settings.maxBodyBytes, self.request.bodyBytes > limit {
            self.fail(.contentTooLarge)
            return nil
        }
        switch progress {
        case .more where self.inputClosed:
            self.dropUpstream()
            self.closeAfterWriting()
            return nil
        case .more(let consumed):
            return self.inbound.readSlice(length: consumed) ?? ByteBuffer()
        case .end(let consumed):
            _ = self.exchange.requestEnded()
            return self.inbound.readSlice(length: consumed) ?? ByteBuffer()
        case .malformed(let fault):
            self.fail(GateAnswer(fault))
            return nil
        }
    }

    /// - Returns: whether there may be more to read.
    private func passBody() -> Bool {
        guard let upstream = self.upstream, self.inbound.readableBytes > 0,
            let piece = self.takeBody(), piece.readableBytes > 0
        else { return false }
        upstream.write(piece)
        self.renewDeadline()
        return self.requestHasEnded
    }

    /// The client must go on with its body, or else the backend answer.
    private func renewDeadline() {
        let body =
            self.request.isCall
            ? self.responseTimeout : self.worker.settings.timeouts.body
        self.deadline = self.worker.now + (self.requestHasEnded ? self.responseTimeout : body)
    }

    /// For the backend's answer, and between two pieces of it.
    var responseTimeout: TimeAmount {
        let timeouts = self.worker.settings.timeouts
        // A call may have nothing to say for as long as a tunnel.
        return self.request.isCall ? timeouts.tunnel : timeouts.response
    }

    private var requestHasEnded: Bool {
        if case .forwarding(let forwarding) = self.exchange { return forwarding.requestEnded }
        return true
    }

    private func passTunnel() -> Bool {
        guard let upstream = self.upstream,
            let bytes = self.inbound.readSlice(length: self.inbound.readableBytes),
            bytes.readableBytes > 0
        else { return false }
        if self.lasting?.revocation == nil {
            self.deadline = self.worker.now + self.worker.settings.timeouts.tunnel
        }
        upstream.write(bytes)
        return false
    }

    /// Reads the rest of an answered request away, to the beginning of the next one.
    private func discardBody() -> Bool {
        let inbound = self.inbound
        let bytes = inbound.readableBytesUInt8Span
        switch self.body.consume(bytes, trailerFields: self.rules.table) {
        case .more where self.inputClosed:
            self.closeAfterWriting()
            return false
        case .more(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            self.deadline = self.worker.now + self.worker.settings.timeouts.linger
            if self.exchange.discarded(bytes: consumed) == .close { self.abort() }
            return false
        case .end(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            guard self.exchange.requestEnded() == .next else { return false }
            self.nextRequest()
            return true
        case .malformed:
            self.abort()
            return false
        }
    }

    private func discardAll() -> Bool {
        let count = self.inbound.readableBytes
        guard count > 0 else { return false }
        self.inbound = ByteBuffer()
        if let lingerEnd = self.lingerEnd {
            let idleEnd = self.worker.now + self.worker.settings.timeouts.linger
            self.deadline = Swift.min(lingerEnd, idleEnd)
        }
        if self.exchange.discarded(bytes: count) == .close { self.abort() }
        return false
    }

    /// Whether another request may be taken on this connection, and can still come.
    var mayGoOn: Bool {
        !self.worker.isDraining && !(self.inputClosed && self.inbound.readableBytes == 0)
    }

    /// Makes ready for the next request on this connection.
    func nextRequest() {
        self.finishLogEntry()
        self.parser.reset()
        self.request = Request()
        self.lasting = nil
        self.hasHeadDeadline = false
        self.deadline = self.worker.now + self.worker.settings.timeouts.idle
        if case .stream(let stream) = self.transport { stream.renewDeadline() }
        if !self.mayGoOn {
            self.exchange = .lingering(budget: self.worker.settings.discardLimits.lingerBytes)
            self.linger()
        }
    }
}
