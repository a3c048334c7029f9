import GateCensus
import GatePolicy
import GateWire
import NIOCore

/// Methods that read and evaluate requests.
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

    /// Parses the next request head, and handles its request if the head is complete.
    ///
    /// - Returns: Whether there may be more to read.
    private func readHead() -> Bool {
        // Pending responses do not affect `isWritable` until they are passed to the channel. Without this check, the
        // responses to many small requests from one read could take up megabytes of memory.
        if let count = self.output.pendingCount, count > Self.outboundLimit { self.output.flush() }
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
            // The head is moved out and back, because that costs less than copying the parts that may change.
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

    /// Handles the head of a request on an HTTP/2 stream.
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

    /// Handles the trailer fields of a request on an HTTP/2 stream.
    func received(trailers: HeaderList) {
        if self.exchange.takesContent {
            guard trailers.isForwardableTrailerSection else {
                return self.fail(GateAnswer(.trailer))
            }
            self.request.body.receive(trailers: trailers)
        }
        self.settle()
    }

    /// Evaluates a request whose head has been read, and denies or forwards it.
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
        // The other members were set by `nextRequest()`, because creating a new request would cost more.
        self.request.verdict = verdict
        self.request.response.begin(isHead: facts.isHead, isHTTP10: head.minorVersion == 0)
        self.request.isCall = facts.isCall
        self.request.body.begin(facts.framing)
        if let denial = verdict.denial {
            // Without the field, `origin` is already `nil`, and assigning `nil` costs more than this check.
            if facts.originLine != nil { self.request.origin = facts.origin(of: head, in: bytes) }
            if facts.framing != .none, self.origin.isTrusted {
                let address = self.clientAddress(head, facts: facts, in: bytes)
                self.request.discards.forwardedClient = ClientNetwork(address)
            }
            // Copied, because sending the response may end the request and reset its timing.
            let timing = self.request.timing
            self.deny(denial, head, facts: facts, in: bytes)
            timing.denied(on: loop)
        } else if self.exceedsBodyLimit(facts.framing) {
            self.refuse(.contentTooLarge)
        } else if facts.forwardsLeft == 0 {
            let isTrace = head.method("TRACE", in: bytes)
            self.answer(isTrace ? MaxForwardsAnswer.trace : MaxForwardsAnswer.options, facts: facts)
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
        let isAnswered: Void? = self.rules.denials?.withVersion(of: head, in: bytes) { version in
            self.answer(denial, facts: facts, version: version)
        }
        // Unreachable, because a denial with placeholders is shared only by clients that send a version.
        if isAnswered == nil { self.answer(denial, facts: facts) }
    }

    /// Returns the client's address, which is the peer's address or the one that a trusted proxy sends.
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
}

/// Methods that determine the verdicts on requests.
extension ClientConnection {
    @inline(__always)
    func verdict(
        of rules: WorkerRules,
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        rules.verdict(
            on: head,
            facts: facts,
            in: bytes,
            address: rules.dependsOnAddress
                ? self.clientAddress(head, facts: facts, in: bytes) : "",
            last: &self.heads.lastVerdict
        )
    }

    /// Evaluates a request and counts the verdict.
    @inline(__always)
    func countedVerdict(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        let rules = self.rules
        let verdict = self.verdict(of: rules, on: head, facts: facts, in: bytes)
        self.count(verdict, of: rules, on: head, facts: facts, in: bytes)
        return verdict
    }

    @inline(__always)
    func count(
        _ verdict: Verdict,
        of rules: WorkerRules,
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) {
        self.loop.tally.count(verdict.tallyPlace)
        if let census = self.loop.census {
            self.request.censusReceipt = rules.count(
                verdict,
                on: head,
                facts: facts,
                in: bytes,
                for: census
            ) {
                let address = self.clientAddress(head, facts: facts, in: bytes)
                return ClientNetwork(address)?.place ?? .unknown
            }
        }
    }

    /// Evaluates a request that has a gate-owned field, applies its pass, and counts the verdict.
    @inline(never)
    func countedVerdictWithPass(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        let rules = self.rules
        let decided = self.verdict(of: rules, on: head, facts: facts, in: bytes)
        let verdict = self.loop.passed(decided, head, facts: facts, in: bytes, rules, for: .request)
        self.count(verdict, of: rules, on: head, facts: facts, in: bytes)
        return verdict
    }

    /// Returns the verdict of the current rules on a request whose response is in progress, and the denial, if any.
    func currentVerdict(on received: ReceivedHead) -> (Verdict, RenderedAnswer?)? {
        let rules = self.loop.rules
        let head = received.head(by: rules.table)
        let buffer = received.bytes
        let bytes = buffer.readableBytesUInt8Span
        guard let facts = try? RequestFacts(head, in: bytes) else { return nil }
        var last: RememberedVerdict?
        var verdict = rules.verdict(
            on: head,
            facts: facts,
            in: bytes,
            address: self.clientAddress(head, facts: facts, in: bytes),
            last: &last
        )
        if facts.hasGateOwnedField {
            let held = self.request.verdict?.decision.passID
            verdict = self.loop.passed(
                verdict,
                head,
                facts: facts,
                in: bytes,
                rules,
                for: .response(held)
            )
        }
        return (verdict, rules.denial(of: verdict, on: head, in: bytes))
    }

    /// Returns the verdict that a tester asks to preview, or `verdict` for all other requests.
    ///
    /// Requests with a preview are counted under the verdict of the rules, and previews are not cached.
    func previewed(
        _ verdict: Verdict,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        counts: Bool = true
    ) -> Verdict {
        guard let preview = self.loop.preview(in: head, bytes, counts: counts) else {
            return verdict
        }
        // The census must not count the response, because the request was counted under a different decision.
        self.request.censusReceipt = .none
        let address = self.clientAddress(head, facts: facts, in: bytes)
        return self.rules.preview(
            preview,
            inPlaceOf: verdict,
            on: head,
            facts: facts,
            in: bytes,
            address: address
        )
    }

    /// Evaluates and counts the client request that an authorization request describes.
    func decide(
        for gateway: Gateway,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        self.loop.counters.decisions.count(gateway)
        // The client endpoints respond to denied builds, too. Unknown paths under `/.versiongate/` are evaluated,
        // because gateways might remove dot segments first and then route such requests elsewhere.
        if self.loop.settings.servesClients, let endpoint = ClientEndpoint(head, in: bytes),
            endpoint != .unknown
        {
            return self.rules.preflight
        }
        let (counted, verdict): (Verdict, Verdict)
        if facts.hasGateOwnedField {
            counted = self.countedVerdictWithPass(on: head, facts: facts, in: bytes)
            verdict = self.previewed(counted, head, facts: facts, in: bytes)
        } else {
            counted = self.countedVerdict(on: head, facts: facts, in: bytes)
            verdict = counted
        }
        self.request.verdict = verdict
        if let log = self.loop.accessLog {
            self.beginLogEntry(of: log, head, facts: facts, in: bytes, verdict: counted)
        }
        return verdict
    }

    /// Evaluates a request that was already counted, including its pass and its preview.
    func inspectedVerdict(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        let rules = self.rules
        let verdict = self.verdict(of: rules, on: head, facts: facts, in: bytes)
        guard facts.hasGateOwnedField else { return verdict }
        let passed = self.loop.passed(
            verdict,
            head,
            facts: facts,
            in: bytes,
            rules,
            for: .inspection
        )
        return self.previewed(passed, head, facts: facts, in: bytes, counts: false)
    }
}

/// Methods that write to the access log.
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
        let count = self.output.takeContentCount()
        guard let log = self.loop.accessLog, var entry = self.request.logEntry.take()
        else { return }
        entry.bytes = count
        log.end(entry)
    }
}
