import GateCensus
import GatePolicy
import GateWire
import NIOCore

/// The responses of the gate.
extension ClientConnection {
    /// Answers a request that is not forwarded.
    func answer(_ answer: RenderedAnswer, facts: RequestFacts) {
        self.answer(answer, facts: facts, version: Self.noVersion.span)
    }

    private static let noVersion: [UInt8] = []

    /// `version`: the text to insert into the gaps of the response.
    func answer(_ answer: RenderedAnswer, facts: RequestFacts, version: Span<UInt8>) {
        self.answer(
            answer,
            keepsClient: facts.keepsAlive && self.acceptsNextRequest,
            remaining: self.remainingBody(facts),
            version: version
        )
    }

    /// The part of a refused request's body that has not been received.
    private func remainingBody(_ facts: RequestFacts) -> Exchange.RemainingBody {
        // `HTTP2Connection` discards the rest for streams.
        guard facts.framing != .none, !self.transport.isStream else { return .nothing }
        // The client may or may not send what it has announced.
        guard !facts.expectsContinue else { return .unknown }
        guard !self.discardsWholeBody() else { return .nothing }
        return switch facts.framing {
        case .length(let length): .bytes(length)
        case .chunked: .chunked
        case .none, .untilClose: .unknown
        }
    }

    /// `keepsClient`: whether another request may follow; `remaining`: the rest of this request.
    func answer(
        _ answer: RenderedAnswer,
        keepsClient: Bool,
        remaining: Exchange.RemainingBody
    ) {
        self.answer(
            answer,
            keepsClient: keepsClient,
            remaining: remaining,
            version: Self.noVersion.span
        )
    }

    private func answer(
        _ answer: RenderedAnswer,
        keepsClient: Bool,
        remaining: Exchange.RemainingBody,
        version: Span<UInt8>
    ) {
        let action = self.exchange.answer(
            keepsClient: keepsClient,
            remaining: remaining,
            limits: self.loop.settings.discardLimits
        )
        guard action != .awaitBody else {
            self.request.response.hold(answer.filled(with: version))
            return self.renewDeadline()
        }
        self.write(answer, keepsClient: action != .answerAndLinger, version: version)
        self.perform(action)
    }

    /// Writes the response that waited for the body.
    ///
    /// `keepsClient`: whether another request may follow.
    func answerHeld(keepsClient: Bool) {
        guard let answer = self.request.response.takeHeld() else { return }
        if !keepsClient { self.exchange.linger(limits: self.loop.settings.discardLimits) }
        self.write(answer, keepsClient: keepsClient, version: Self.noVersion.span)
        self.perform(keepsClient ? .answer : .answerAndLinger)
    }

    private func write(_ answer: RenderedAnswer, keepsClient: Bool, version: Span<UInt8>) {
        self.request.logEntry?.answered(self.status(of: answer))
        if case .stream(let stream) = self.transport {
            self.write(answer, to: stream, version: version)
        } else if keepsClient, self.takesAsRendered(answer) {
            self.write(answer, version: version)
        } else {
            let answer = answer.filled(with: version)
            let sendsUpgrade = answer.sendsUpgrade && !self.request.response.isHTTP10
            self.writeHead(answer, keepsClient: keepsClient, sendsUpgrade: sendsUpgrade)
            if !self.request.response.isHead { self.appendOutbound(answer.body) }
        }
    }

    /// Whether a response is sent as it was rendered, with nothing but the date added.
    private func takesAsRendered(_ answer: RenderedAnswer) -> Bool {
        !answer.sendsUpgrade && !self.request.response.isHTTP10 && !self.request.response.isHead
            && self.request.origin == nil
    }

    /// Writes a whole response at once, which costs half as much as in parts.
    private func write(_ answer: RenderedAnswer, version: Span<UInt8>) {
        var buffer = self.outbound.take() ?? self.loop.takeBuffer()
        if answer.isWhole {
            buffer.writeTogether(answer.head, self.loop.lastDateLine, answer.body)
        } else {
            answer.write(with: version, end: self.loop.endWithDate, into: &buffer)
        }
        self.request.logEntry?.bytes += answer.bodyCount(with: version)
        self.outbound = buffer
    }

    private func write(_ answer: RenderedAnswer, to stream: HTTP2Stream, version: Span<UInt8>) {
        let count = answer.bodyCount(with: version)
        let hasContent = count > 0 && !self.request.response.isHead
        let length = RenderedAnswer.hasBody(answer.status) ? count : nil
        self.writeHead(answer, to: stream, length: length, endsStream: !hasContent)
        guard hasContent else { return }
        self.request.logEntry?.bytes += count
        answer.forEachPiece(with: version) { stream.append($0, from: 0, to: $0.count) }
        stream.endContent()
    }

    /// `length`: the value of `Content-Length`; `nil` if the field is not sent.
    private func writeHead(
        _ answer: RenderedAnswer,
        to stream: HTTP2Stream,
        length: Int?,
        endsStream: Bool
    ) {
        let status = self.status(of: answer)
        let rendered = status == answer.status ? answer.block : nil
        stream.write(
            rendered ?? HTTP2AnswerBlock(status: status, answer.head),
            length: length,
            date: self.loop.dateBlock,
            origin: self.request.origin,
            endsStream: endsStream
        )
    }

    private func writeHead(_ answer: RenderedAnswer, keepsClient: Bool, sendsUpgrade: Bool = false)
    {
        var buffer = self.outbound.take() ?? self.loop.takeBuffer()
        answer.writeHead(
            date: self.loop.dateLine,
            origin: self.request.origin,
            connection: self.request.response.connection(keepsClient: keepsClient),
            sendsUpgrade: sendsUpgrade,
            into: &buffer
        )
        self.outbound = buffer
    }

    private func appendOutbound(_ bytes: [UInt8]) {
        guard var buffer = self.outbound.take() else { return }
        self.request.logEntry?.bytes += bytes.count
        buffer.writeBytes(bytes)
        self.outbound = buffer
    }

    /// The status of a response for this client.
    ///
    /// Rules may choose a 2xx for a denial. It would open a WebSocket over HTTP/2.
    private func status(of answer: RenderedAnswer) -> Int {
        guard answer.status < 300, self.webSocketKey != nil else { return answer.status }
        return self.request.verdict?.decision.kind == .maintenance ? 503 : 426
    }

    private func perform(_ action: Exchange.AnswerAction) {
        switch action {
        case .answer: self.nextRequest()
        case .awaitBody: break
        case .answerAndLinger:
            self.finishLogEntry()
            self.linger()
        }
    }
}

/// Error responses of the gate.
extension ClientConnection {
    /// Refuses a request that is invalid HTTP, and closes the connection: the start of the next request is uncertain.
    func refuse(_ answer: GateAnswer) {
        self.loop.counters.malformed += 1
        self.answer(answer, keepsClient: false)
    }

    /// Refuses a request of a stream whose head is invalid.
    func refuse(_ fault: MessageFault, isHead: Bool) {
        self.request.response.begin(isHead: isHead, isHTTP10: false)
        self.refuse(GateAnswer(fault))
    }

    /// Refuses a request because of a limit; the connection may stay open.
    func shed(_ refusal: Refusal, facts: RequestFacts) {
        self.loop.refused(refusal)
        self.answer(
            refusal == .pendingRequests ? .tooManyPending : .late,
            keepsClient: facts.keepsAlive && facts.framing == .none && self.acceptsNextRequest
        )
    }

    /// Answers in place of the backend, or closes the connection if a response has started.
    func fail(_ answer: GateAnswer) {
        if answer.status >= 500 { self.loop.counters.upstreamFailures += 1 }
        if self.upstream == nil, self.request.forwarded != nil { self.discardUnsentBody() }
        self.dropUpstream()
        switch self.exchange {
        case .forwarding(let forwarding) where forwarding.responseStarted:
            self.flush()
            return self.abort()
        case .forwarding(let forwarding):
            if answer.isBackendFailure { self.backendFailed() }
            self.answer(
                answer,
                keepsClient: forwarding.keepsClient && forwarding.requestEnded
            )
        case .head, .idle, .awaitingBody, .streaming, .lingering, .tunnel, .closed:
            self.answer(answer, keepsClient: false)
        }
        self.settle()
    }

    /// Counts a failure of the backend in the census.
    func backendFailed() {
        self.loop.census?.countServerError(self.request.censusReceipt)
        self.request.censusReceipt = .none
    }

    /// `keepsClient`: whether the whole request was read and another one may follow.
    func answer(_ answer: GateAnswer, keepsClient: Bool) {
        self.answer(
            RenderedAnswer(answer),
            keepsClient: keepsClient,
            remaining: keepsClient ? .nothing : .unknown
        )
    }
}

/// The endpoints of the gate for clients.
extension ClientConnection {
    /// Answers a request to an endpoint.
    func serve(
        _ endpoint: ClientEndpoint,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) {
        self.request.response.begin(isHead: facts.isHead, isHTTP10: head.minorVersion == 0)
        if let log = self.loop.accessLog {
            self.beginLogEntry(of: log, head, facts: facts, in: bytes, verdict: log.unjudged)
        }
        self.request.body.begin(facts.framing)
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
            let answer = self.rules.testFlightAnswer(
                question,
                on: head,
                in: bytes,
                confirmed: self.loop.confirmedAt
            )
            return self.answer(answer, facts: facts)
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
                isChunked: self.chunksEvents
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

    /// Whether the content of an event stream is sent in chunks: HTTP/2 needs none, and with HTTP/1.0 the close of the
    /// connection ends it.
    private var chunksEvents: Bool {
        if case .stream = self.transport { return false }
        return !self.request.response.isHTTP10
    }

    /// Starts an event stream, which sends the decision for the client whenever it changes.
    private func stream(
        _ status: LaunchStatus,
        to head: RequestHead,
        in bytes: Span<UInt8>,
        address: String
    ) {
        let isChunked = self.chunksEvents
        let events = EventStream(
            received: ReceivedHead(head, in: bytes),
            address: address,
            isChunked: isChunked,
            lastTag: head.value(of: "last-event-id", in: bytes) ?? ""
        )
        guard !self.loop.isDraining, self.clients.openStream() else {
            return self.answer(.tooManyStreams, keepsClient: false)
        }
        self.request.holdsEventStream = true
        self.exchange.stream(events)
        let answer = EndpointAnswer.events(
            vary: self.rules.ruleSet.answerInputs,
            isChunked: isChunked
        )
        self.request.logEntry?.answered(answer.status)
        if case .stream(let stream) = self.transport {
            self.writeHead(answer, to: stream, length: nil, endsStream: false)
        } else {
            self.writeHead(answer, keepsClient: isChunked)
        }
        self.write(ByteBuffer(bytes: events.opening()))
        if let event = self.exchange.event(status) { self.write(ByteBuffer(bytes: event)) }
        // The first heartbeat is random, so that streams that were opened together do not send theirs together.
        let interval = EventStream.heartbeatInterval.nanoseconds
        self.renewDeadline()
        self.limitDeadline(to: .nanoseconds(Int64.random(in: interval / 2...interval)))
    }

    /// Sends an event if the decision for the client has changed.
    func refreshStream() {
        guard let events = self.exchange.events else { return }
        let rules = self.loop.rules
        let head = events.received.head(by: rules.table)
        let buffer = events.received.bytes
        let bytes = buffer.readableBytesUInt8Span
        let preview = self.preview(in: head, bytes, counts: false)
        let address = events.address
        guard
            let status = rules.launchStatus(
                on: head,
                in: bytes,
                address: address,
                preview: preview
            )
        else { return }
        if let event = self.exchange.event(status) {
            self.loop.counters.eventsSent += 1
            self.send(event)
        }
        self.renewDeadline()
    }

    func heartbeatIsDue() {
        guard let events = self.exchange.events else { return }
        self.send(events.heartbeat())
        self.renewDeadline()
    }

    /// Ends the event stream in order; the client connects again.
    func endStream() {
        guard let events = self.exchange.events else { return }
        self.send(events.ending)
        self.transport.endContent()
        self.closeAfterWriting()
    }

    private func send(_ bytes: [UInt8]) {
        // Nothing is queued for a client that does not read. It connects again and gets the current decision.
        guard self.isWritable else { return self.abort() }
        self.write(ByteBuffer(bytes: bytes))
        self.flush()
    }
}
