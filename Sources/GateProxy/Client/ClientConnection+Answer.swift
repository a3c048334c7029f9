import GateCensus
import GatePolicy
import GateWire
import NIOCore

/// The answers that the gate gives itself.
extension ClientConnection {
    /// Answers a request that goes no further.
    func answer(_ answer: RenderedAnswer, facts: RequestFacts) {
        self.answer(answer, facts: facts, version: Self.noVersion.span)
    }

    private static let noVersion: [UInt8] = []

    /// `version`: the text to insert into the gaps of the response.
    func answer(_ answer: RenderedAnswer, facts: RequestFacts, version: Span<UInt8>) {
        self.answer(
            answer,
            keepsClient: facts.keepsAlive && self.mayGoOn,
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

    /// Discards the body of a refused request if it is complete.
    private func discardsWholeBody() -> Bool {
        let inbound = self.inbound
        // A copy: `awaitBody()` reads an incomplete body from the start.
        var body = self.body
        let most = self.loop.settings.discardLimits.awaitedBytes
        guard inbound.readableBytes > 0,
            case .end(let consumed) = body.consume(
                inbound.readableBytesUInt8Span,
                trailerFields: self.rules.table
            ), consumed <= most
        else { return false }
        self.inbound.moveReaderIndex(forwardBy: consumed)
        self.loop.counters.discardedBytes += UInt64(consumed)
        return true
    }

    /// `keepsClient`: whether another request may follow; `remaining`: what is left of this one.
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
            self.heldAnswer = answer.filled(with: version)
            return self.renewDeadline()
        }
        self.write(answer, keepsClient: action != .answerAndLinger, version: version)
        self.perform(action)
    }

    /// Writes the response that waited for the body.
    ///
    /// `keepsClient`: whether another request may follow.
    func answerAtLast(keepsClient: Bool) {
        guard let answer = self.heldAnswer.take() else { return }
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
            self.writeHead(
                answer.head,
                keepsClient: keepsClient,
                sendsUpgrade: answer.sendsUpgrade && !self.request.isHTTP10
            )
            if !self.request.isHead { self.appendOutbound(answer.body) }
        }
    }

    /// Whether nothing but the date is added to an answer, and nothing left out.
    private func takesAsRendered(_ answer: RenderedAnswer) -> Bool {
        !answer.sendsUpgrade && !self.request.isHTTP10 && !self.request.isHead
            && self.request.origin == nil
    }

    /// Writes an answer whole: in pieces it costs twice as much.
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
        let hasContent = count > 0 && !self.request.isHead
        let length = RenderedAnswer.hasBody(answer.status) ? count : nil
        self.writeHead(answer, to: stream, length: length, endsStream: !hasContent)
        guard hasContent else { return }
        self.request.logEntry?.bytes += count
        answer.forEachPiece(with: version) { stream.append($0, from: 0, to: $0.count) }
        stream.endContent()
    }

    /// `length`: the number of bytes of the content; `nil`: nothing is said of it.
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

    /// The status of an answer for this client: by a 2xx, which rules may choose for a denial, a WebSocket
    /// over HTTP/2 would look open.
    private func status(of answer: RenderedAnswer) -> Int {
        guard answer.status < 300, self.webSocketKey != nil else { return answer.status }
        return self.request.verdict?.decision.kind == .maintenance ? 503 : 426
    }

    /// Writes the head of an answer whose content comes bit by bit.
    func begin(_ answer: RenderedAnswer, keepsClient: Bool) {
        self.request.logEntry?.answered(answer.status)
        if case .stream(let stream) = self.transport {
            self.writeHead(answer, to: stream, length: nil, endsStream: false)
        } else {
            self.writeHead(answer.head, keepsClient: keepsClient)
        }
    }

    /// Refuses a request that is no acceptable HTTP, and the connection with it: where one request
    /// ends and the next begins is no longer certain.
    func refuse(_ answer: GateAnswer) {
        self.loop.counters.malformed += 1
        self.answer(answer, keepsClient: false)
    }

    /// Refuses a request for which there is no room; the connection may go on.
    func shed(_ refusal: Refusal, facts: RequestFacts) {
        self.loop.refused(refusal)
        self.answer(
            refusal == .pendingRequests ? .tooManyPending : .late,
            keepsClient: facts.keepsAlive && facts.framing == .none && self.mayGoOn
        )
    }

    /// Answers instead of the backend, if it is not too late for that.
    func fail(_ answer: GateAnswer) {
        if answer.status >= 500 { self.loop.counters.upstreamFailures += 1 }
        if self.upstream == nil, self.request.forwarded != nil { self.discardWholeBody() }
        self.dropUpstream()
        switch self.exchange {
        case .forwarding(let forwarding) where forwarding.responseStarted:
            self.flush()
            return self.abort()
        case .forwarding(let forwarding):
            if answer.blamesBackend { self.backendFailed() }
            self.answer(
                answer,
                keepsClient: forwarding.keepsClient && forwarding.requestEnded
            )
        case .head, .idle, .awaitingBody, .streaming, .lingering, .tunnel, .closed:
            self.answer(answer, keepsClient: false)
        }
        self.settle()
    }

    /// Tells the census that the backend has not answered the request as it should.
    func backendFailed() {
        self.loop.census?.countServerError(self.request.censusReceipt)
        self.request.censusReceipt = .none
    }

    /// `keepsClient`: whether the whole request was read and another may follow.
    func answer(_ answer: GateAnswer, keepsClient: Bool) {
        self.answer(
            RenderedAnswer(answer),
            keepsClient: keepsClient,
            remaining: keepsClient ? .nothing : .unknown
        )
    }

    private func writeHead(_ head: [UInt8], keepsClient: Bool, sendsUpgrade: Bool = false) {
        var buffer = self.outbound.take() ?? self.loop.takeBuffer()
        buffer.writeBytes(head)
        buffer.writeBytes(self.loop.dateLine)
        if let origin = self.request.origin {
            buffer.writeBytes(RenderedAnswer.crossOriginLines(origin))
        }
        switch self.connection(keepsClient: keepsClient) {
        case .keep, .upgrade: break
        case .keepExplicitly: buffer.writeStaticString("Connection: keep-alive\r\n")
        case .close: buffer.writeStaticString("Connection: close\r\n")
        }
        // The protocol that is spoken already: nothing that reads it has anything to change.
        if sendsUpgrade {
            buffer.writeStaticString("Upgrade: HTTP/1.1\r\nConnection: upgrade\r\n")
        }
        buffer.writeStaticString("\r\n")
        self.outbound = buffer
    }

    private func appendOutbound(_ bytes: [UInt8]) {
        guard var buffer = self.outbound.take() else { return }
        self.request.logEntry?.bytes += bytes.count
        buffer.writeBytes(bytes)
        self.outbound = buffer
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

/// The access log.
extension ClientConnection {
    func beginEntry(
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
            at: loop.measuresLatency ? self.headReadAt : .now()
        )
    }

    func finishLogEntry() {
        guard let log = self.loop.accessLog, let entry = self.request.logEntry.take()
        else { return }
        log.end(entry)
    }
}
