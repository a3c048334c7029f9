import GatePolicy
import GateWire
import NIOCore

/// Clients that ask the gate itself.
extension ClientConnection {
    /// Answers a request to one of the gate's own endpoints.
    func serve(
        _ endpoint: ClientEndpoint,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) {
        self.request = Request()
        self.request.isHead = facts.isHead
        self.request.isHTTP10 = head.minorVersion == 0
        if let log = self.loop.accessLog {
            self.beginEntry(of: log, head, facts: facts, in: bytes, verdict: log.unjudged)
        }
        self.body = BodyReader(facts.framing)
        self.noteOrigin(of: head, facts: facts, in: bytes)
        guard endpoint != .unknown else {
            return self.answer(EndpointAnswer.notFound, facts: facts)
        }
        guard !facts.isPreflight else {
            let name: StaticString = "access-control-request-headers"
            let requested = head.value(of: name, in: bytes)
            return self.answer(EndpointAnswer.preflight(requestedHeaders: requested), facts: facts)
        }
        guard facts.isHead || head.method("GET", in: bytes) else {
            return self.answer(EndpointAnswer.methodNotAllowed, facts: facts)
        }
        if case .testFlight(let question) = endpoint {
            return self.answer(question, head, facts: facts, in: bytes)
        }
        let address = self.clientAddress(head, facts: facts, in: bytes)
        let preview =
            facts.hasGateOwnedField ? self.preview(in: head, bytes, counts: true) : nil
        let status = self.rules.launchStatus(
            on: head,
            in: bytes,
            address: address,
            preview: preview
        )
        guard let status else {
            return self.answer(EndpointAnswer.badPath, facts: facts)
        }
        switch endpoint {
        case .events where facts.isHead:
            let answer = EndpointAnswer.events(
                vary: self.rules.ruleSet.answerInputs,
                isChunked: self.framesEvents
            )
            self.answer(answer, facts: facts)
        case .events where facts.framing == .none:
            self.stream(status, to: head, in: bytes, address: address)
        case .events, .status, .testFlight, .unknown:
            self.loop.counters.launchChecks += 1
            let answer = EndpointAnswer.status(
                status,
                vary: preview == nil
                    ? self.rules.ruleSet.answerInputs : self.rules.ruleSet.previewedAnswerInputs,
                knownTags: head.entityTags(of: "if-none-match", in: bytes)
            )
            self.answer(answer, facts: facts)
        }
    }

    private func answer(
        _ question: TestFlightQuestion,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) {
        guard self.rules.ruleSet.knowsTestFlight else {
            return self.answer(EndpointAnswer.notFound, facts: facts)
        }
        let body = self.rules.testFlight(
            question,
            on: head,
            in: bytes,
            confirmed: self.loop.confirmedAt
        )
        let vary = self.rules.ruleSet.answerInputs
        self.answer(EndpointAnswer.testFlight(body, vary: vary), facts: facts)
    }

    /// Whether the content of a stream of events needs a framing of its own: HTTP/2 has one, and with
    /// HTTP/1.0 it ends by a close.
    private var framesEvents: Bool {
        if case .stream = self.transport { return false }
        return !self.request.isHTTP10
    }

    private func stream(
        _ status: LaunchStatus,
        to head: RequestHead,
        in bytes: Span<UInt8>,
        address: String
    ) {
        let isChunked = self.framesEvents
        let stream = EventStream(
            received: ReceivedHead(head, in: bytes),
            address: address,
            isChunked: isChunked,
            lastTag: head.value(of: "last-event-id", in: bytes) ?? ""
        )
        guard !self.loop.isDraining, self.clients.openStream() else {
            return self.answer(.tooManyStreams, keepsClient: false)
        }
        self.hasStreamPlace = true
        self.exchange.stream(stream)
        let answer = EndpointAnswer.events(
            vary: self.rules.ruleSet.answerInputs,
            isChunked: isChunked
        )
        self.begin(answer, keepsClient: isChunked)
        self.write(ByteBuffer(bytes: stream.opening()))
        if let event = self.exchange.event(status) { self.write(ByteBuffer(bytes: event)) }
        // The first heartbeat is early by a random share, so that streams that began together do
        // not beat together.
        let interval = EventStream.heartbeatInterval.nanoseconds
        self.renewDeadline()
        self.limitDeadline(to: .nanoseconds(Int64.random(in: interval / 2...interval)))
    }

    /// Tells the client if its decision is another one by now.
    func refreshStream() {
        guard let stream = self.exchange.events, let status = self.currentStatus(of: stream)
        else { return }
        if let event = self.exchange.event(status) {
            self.loop.counters.eventsSent += 1
            self.send(event)
        }
        self.renewDeadline()
    }

    /// It is time for a sign of life.
    func streamIsDue() {
        guard let stream = self.exchange.events else { return }
        self.send(stream.heartbeat())
        self.renewDeadline()
    }

    /// Ends the stream in order; the client comes back when it is ready.
    func endStream() {
        guard let stream = self.exchange.events else { return }
        self.send(stream.ending)
        self.transport.endContent()
        self.closeAfterWriting()
    }

    private func send(_ bytes: [UInt8]) {
        // A client that does not read gets no pile: it comes back and hears all there is to know.
        guard self.isWritable else { return self.abort() }
        self.write(ByteBuffer(bytes: bytes))
        self.flush()
    }

    private func currentStatus(of stream: EventStream) -> LaunchStatus? {
        let rules = self.loop.rules
        let head = stream.received.head(by: rules.table)
        let buffer = stream.received.bytes
        let bytes = buffer.readableBytesUInt8Span
        return rules.launchStatus(
            on: head,
            in: bytes,
            address: stream.address,
            preview: self.preview(in: head, bytes, counts: false)
        )
    }
}
