import GateCensus
import GatePolicy
import GateWire
import NIOCore

extension ClientConnection {
    /// Uses up what was received, as far as the exchange allows.
    func readOn() {
        var goesOn = true
        while goesOn {
            switch self.exchange {
            case .head, .idle: goesOn = self.readHead()
            case .forwarding(let forwarding):
                goesOn = !forwarding.requestEnded && self.passBody()
            case .streaming:
                self.inbound = ByteBuffer()
                goesOn = false
            case .awaitingBody: goesOn = self.awaitBody()
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
        if self.rules !== self.loop.rules {
            // The table that tells fields apart belongs to the rules: begin the head again.
            self.rules = self.loop.rules
            self.parser.reset()
        }
        self.beginMeasuring()
        let inbound = self.inbound
        let bytes = inbound.readableBytesUInt8Span
        switch self.parser.parse(bytes, table: self.rules.table) {
        case .incomplete where self.inputClosed:
            self.closeAfterWriting()
            return false
        case .incomplete:
            if self.exchange.headBegan() { self.renewDeadline() }
            return false
        case .malformed(let fault):
            if !self.beginsHTTP2() { self.refuse(GateAnswer(fault)) }
            return false
        case .complete:
            self.inbound.moveReaderIndex(forwardBy: self.parser.head.end)
            // Taken out and put back, which costs less than the copy that is made of what might change.
            let head = self.parser.takeHead()
            do throws(MessageFault) {
                let facts = try RequestFacts(head, in: bytes)
                self.judge(head, facts: facts, in: bytes)
            } catch {
                self.refuse(GateAnswer(error))
            }
            self.parser.reuse(head)
            return true
        }
    }

    private static let outboundLimit = 64 * 1024

    /// Decides on a request whose head was read, and answers it or passes it on.
    func judge(_ head: RequestHead, facts: RequestFacts, in bytes: Span<UInt8>) {
        let loop = self.loop
        if let endpoint = ClientEndpoint(head, in: bytes), loop.settings.servesClients {
            // With what an endpoint answers, a WebSocket over HTTP/2 would look open.
            guard self.webSocketKey == nil else {
                let answer = RenderedAnswer(GateAnswer(.unsupportedProtocol))
                return self.answer(answer, facts: facts)
            }
            return self.serve(endpoint, head, facts: facts, in: bytes)
        }
        let rules = self.rules
        var verdict = rules.verdict(
            on: head,
            facts: facts,
            in: bytes,
            address: rules.dependsOnAddress
                ? self.clientAddress(head, facts: facts, in: bytes) : "",
            last: &self.lastVerdict
        )
        loop.tally.count(verdict.tallyPlace)
        if let census = loop.census {
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
        if facts.forwardedForLine != nil, !self.origin.isTrusted {
            loop.untrustedProxy?.report(self.origin.address)
        }
        // The verdict that the log tells, where a preview may take its place in the answer.
        let judged = facts.hasGateOwnedField ? verdict : nil
        if let judged { verdict = self.previewed(judged, head, facts: facts, in: bytes) }
        // All else is as `nextRequest()` has left it: to build a new one costs more.
        self.request.verdict = verdict
        self.request.isHead = facts.isHead
        self.request.isHTTP10 = head.minorVersion == 0
        self.request.awaitsContinue = facts.expectsContinue && facts.framing != .none
        self.request.isCall = facts.isCall
        if let log = loop.accessLog {
            self.beginEntry(of: log, head, facts: facts, in: bytes, verdict: judged ?? verdict)
        }
        self.body = BodyReader(facts.framing)
        if let denial = verdict.denial {
            self.noteOrigin(of: head, facts: facts, in: bytes)
            if facts.framing != .none, self.origin.isTrusted {
                let address = self.clientAddress(head, facts: facts, in: bytes)
                self.request.forwardedClient = ClientNetwork(address)
            }
            self.deny(denial, head, facts: facts, in: bytes)
            self.denialWasWritten()
        } else if self.exceedsBodyLimit(facts.framing) {
            self.refuse(.contentTooLarge)
        } else if facts.forwardsLeft == 0 {
            let isTrace = head.method("TRACE", in: bytes)
            self.answer(LastRecipient.answer(isTrace: isTrace), facts: facts)
        } else {
            self.forward(head, facts: facts, in: bytes, verdict: verdict)
        }
    }

    /// Sends a denial with the version of the client inserted.
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
        return self.loop.settings.trustedProxies.clientAddress(in: addresses)
            ?? self.origin.address
    }

    private func exceedsBodyLimit(_ framing: BodyFraming) -> Bool {
        guard let limit = self.loop.settings.maxBodyBytes, case .length(let length) = framing
        else { return false }
        return length > limit
    }

    /// Whether another request may be taken on this connection, and can still come.
    var mayGoOn: Bool {
        !self.loop.isDraining && !(self.inputClosed && self.inbound.readableBytes == 0)
    }

    /// Makes ready for the next request on this connection.
    func nextRequest() {
        self.finishLogEntry()
        self.parser.reset()
        self.readLittle()
        self.request = Request()
        if self.rejudgeable != nil { self.rejudgeable = nil }
        if case .stream(let stream) = self.transport, stream.hasUnsent {
            self.renewDeadline(for: .lastBytes)
        } else {
            self.renewDeadline()
        }
        if self.mayAwaitLast {
            self.drain(grace: self.loop.drainGrace)
        } else if !self.mayGoOn {
            self.exchange.linger(limits: self.loop.settings.discardLimits)
            self.linger()
        }
    }

    /// Whether the gate is about to stop, and the client, which was told that another request may
    /// follow, can have one on its way.
    private var mayAwaitLast: Bool {
        guard self.loop.isDraining, !self.inputClosed, case .channel = self.transport else {
            return false
        }
        return self.loop.drainGrace > .zero || self.inbound.readableBytes > 0 || self.hasUnread
    }
}

/// The answers to a request that may be forwarded no more (RFC 9110 7.6.2): whoever asks with
/// `Max-Forwards: 0` wants to know who stands here.
enum LastRecipient {
    /// `isTrace`: whether it is `TRACE`, which is not reflected, since that would show the client what
    /// fields came to stand in its request on the way; else it is `OPTIONS`.
    static func answer(isTrace: Bool) -> RenderedAnswer {
        isTrace ? self.trace : self.options
    }

    private static let trace = RenderedAnswer(
        status: 405,
        fields: [
            Self.allow,
            HeaderField(name: "Content-Type", value: "application/problem+json"),
            HeaderField(name: "Cache-Control", value: "no-store"),
        ],
        body: Array(GateAnswer(status: 405, detail: "This gateway answers no TRACE.").body.utf8)
    )
    private static let options = RenderedAnswer(status: 204, fields: [Self.allow], body: [])
    /// The methods that the gate passes on; only a backend knows which of them it allows.
    private static let allow = HeaderField(
        name: "Allow",
        value: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    )
}
