import GatePolicy
import GateWire
import NIOCore

/// Methods that write a request and its body to the backend.
extension ClientConnection {
    /// Writes a request in the HTTP version of the backend connection, with the part of the body that has arrived.
    func write(_ request: ForwardedRequest, to upstream: UpstreamConnection) {
        let hasBody = request.facts.framing != .none
        let sent = hasBody ? self.request.body.takeSent() : nil
        switch upstream.transport {
        case .channel:
            var buffer = self.loop.takeBuffer()
            RequestHeadWriter.write(request, into: &buffer)
            if !request.isRepeatable, !self.request.isCall { self.forget(request) }
            if hasBody, !self.request.body.passesContent, !self.transport.isStream {
                self.writeFirstBytes(after: &buffer, to: upstream)
            } else {
                upstream.write(buffer)
            }
            self.loop.giveBack(buffer)
        case .stream(let stream):
            stream.begin(request)
            if hasBody { self.request.body.beginContent() }
        case .none: return
        }
        guard hasBody else { return }
        if let sent {
            self.request.body.keep(sent)
            self.write(sent, isLast: self.requestHasEnded, to: upstream)
        }
        if !self.requestHasEnded { _ = self.passBody() }
    }

    /// Writes the first bytes of a body together with the head, because writing one buffer is cheaper than writing two.
    private func writeFirstBytes(
        after head: inout ByteBuffer,
        to upstream: UpstreamConnection
    ) {
        guard let bytes = self.takeFramed() else { return }
        guard bytes.readableBytes > ClientOutput.copyLimit else {
            head.writeImmutableBuffer(bytes)
            return upstream.write(head)
        }
        upstream.write(head)
        upstream.write(bytes)
    }

    /// Releases the memory of a request that will not be retried.
    private func forget(_ request: ForwardedRequest) {
        self.request.forwarded = nil
        self.loop.giveBack(request.bytes)
    }

    /// Forwards the part of the request body that has arrived.
    ///
    /// - Returns: Whether there may be more to read.
    func passBody() -> Bool {
        guard let upstream = self.upstream else { return false }
        if case .stream(let stream) = self.transport {
            self.passContent(of: stream, to: upstream)
            return false
        }
        guard self.inbound.readableBytes > 0 else { return false }
        if self.request.body.passesContent {
            guard let content = self.takeContent() else { return false }
            self.write(content, isLast: self.requestHasEnded, to: upstream)
        } else {
            guard let bytes = self.takeFramed(), bytes.readableBytes > 0 else { return false }
            upstream.write(bytes)
        }
        self.renewDeadline()
        guard !self.requestHasEnded else { return true }
        if self.request.body.expects(LargeBuffers.threshold) { self.beginLargeReads() }
        return false
    }

    /// Returns the next bytes of the body as the client framed them, or `nil` if the request has failed.
    private func takeFramed() -> ByteBuffer? {
        let action = self.request.body.readFramed(
            self.inbound,
            trailerFields: self.rules.table,
            limit: self.loop.settings.maxBodyBytes,
            inputClosed: self.flow.isInputClosed
        )
        return self.take(action)
    }

    /// Returns the next bytes of the body without HTTP/1.1 framing, or `nil` if the request has failed.
    private func takeContent() -> ByteBuffer? {
        let action = self.request.body.readContent(
            self.inbound,
            trailerFields: self.rules.table,
            limit: self.loop.settings.maxBodyBytes,
            inputClosed: self.flow.isInputClosed
        )
        return self.take(action)
    }

    private func take(_ action: RequestBodyRelay.ReadAction) -> ByteBuffer? {
        switch action {
        case .pass(let bytes, let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            return bytes
        case .passLast(let bytes, let consumed):
            _ = self.exchange.requestEnded()
            self.inbound.moveReaderIndex(forwardBy: consumed)
            return bytes
        case .refuse(let fault):
            // The request fails while it still counts as incomplete, so that the rest of its body is not read as
            // another request.
            self.fail(GateAnswer(fault))
            return nil
        case .close:
            self.dropUpstream()
            self.closeAfterWriting()
            return nil
        }
    }

    /// Forwards content from an HTTP/2 client, whose frames delimit the body.
    private func passContent(of stream: HTTP2Stream, to upstream: UpstreamConnection) {
        let isLast = stream.hasEndedRequest || self.isComplete(stream, for: upstream)
        // Small frames are collected while the backend accepts no data.
        guard isLast || self.inbound.readableBytes > 0 && upstream.isWritable else { return }
        let content = self.inbound
        self.inbound = self.loop.emptyBuffer
        let limit = self.loop.settings.maxBodyBytes
        guard self.request.body.receive(content, limit: limit) else {
            return self.fail(.contentTooLarge)
        }
        if isLast { _ = self.exchange.requestEnded() }
        self.write(content, isLast: isLast, to: upstream)
        self.renewDeadline()
    }

    /// Returns whether the request is complete for an HTTP/1.1 backend.
    ///
    /// In HTTP/1.1, a body with a `Content-Length` cannot be followed by trailers (RFC 9112 section 6.3).
    private func isComplete(_ stream: HTTP2Stream, for upstream: UpstreamConnection) -> Bool {
        guard case .channel = upstream.transport else { return false }
        return stream.announcedLength?.isComplete ?? false
    }

    /// Writes content with the framing of the backend's HTTP version.
    ///
    /// `isLast` indicates whether only trailer fields, if any, follow.
    private func write(_ content: ByteBuffer, isLast: Bool, to upstream: UpstreamConnection) {
        if case .stream(let stream) = upstream.transport {
            return isLast
                ? stream.end(with: content, trailers: self.request.body.trailers)
                : stream.write(content)
        }
        guard self.request.body.isChunked else {
            if content.readableBytes > 0 { upstream.write(content) }
            return
        }
        var chunk = self.loop.takeBuffer()
        self.request.body.writeChunk(content, isLast: isLast, into: &chunk)
        upstream.write(chunk)
        self.loop.giveBack(chunk)
    }

    /// Switches to large read buffers for the rest of an upload, except over TLS.
    private func beginLargeReads() {
        guard !self.request.body.usesLargeReads, !self.origin.isSecure,
            case .channel(let output) = self.transport
        else { return }
        self.request.body.usesLargeReads = true
        output.useLargeReads(self.loop.largeBuffers)
    }

    /// Switches back to read buffers of the default size after an upload.
    func endLargeReads() {
        guard self.request.body.usesLargeReads, case .channel(let output) = self.transport
        else { return }
        output.useDefaultReads()
    }

    /// Whether request bytes are waiting for the backend, and the backend has accepted bytes since the last check.
    ///
    /// In the meantime, the client has to wait. A slow backend is not treated as an unresponsive one.
    var isBackendReading: Bool {
        guard case .forwarding(let forwarding) = self.exchange, let upstream = self.upstream,
            forwarding.requestEnded ? upstream.transport.hasUnsent : !upstream.isWritable
        else { return false }
        return upstream.hasProgressed()
    }

    /// Whether the client has sent the whole request.
    var requestHasEnded: Bool {
        if case .forwarding(let forwarding) = self.exchange { return forwarding.requestEnded }
        return true
    }
}

/// Methods that discard request bodies.
extension ClientConnection {
    /// Returns the part of a denied request's body that has not been received.
    @inline(__always)
    func remainingBody(_ facts: RequestFacts) -> Exchange.RemainingBody {
        facts.framing == .none ? .nothing : self.remainderOfBody(facts)
    }

    /// Returns the part of an announced body that has not been received.
    private func remainderOfBody(_ facts: RequestFacts) -> Exchange.RemainingBody {
        if case .stream(let stream) = self.transport {
            return facts.answerForm.mayStream || facts.expectsContinue
                ? .nothing : stream.awaitedBody(self.loop.settings.discardLimits)
        }
        // A client that sends `Expect: 100-continue` may omit the announced body.
        guard !facts.expectsContinue else { return .unknown }
        guard !self.discardsWholeBody() else { return .nothing }
        return switch facts.framing {
        case .length(let length): .bytes(length)
        case .chunked: .chunked
        case .none, .untilClose: .unknown
        }
    }

    /// Discards the body of a denied request if the body is complete and small.
    ///
    /// - Returns: Whether the body was discarded.
    private func discardsWholeBody() -> Bool {
        let inbound = self.inbound
        let most = self.loop.settings.discardLimits.awaitedBytes
        guard inbound.readableBytes > 0,
            // An incomplete body is read from its start by `awaitBody()`.
            let count = self.request.body.countToEnd(in: inbound, trailerFields: self.rules.table),
            count <= most
        else { return false }
        self.inbound.moveReaderIndex(forwardBy: count)
        self.loop.counters.discardedBytes += UInt64(count)
        return true
    }

    /// Discards a complete body that was not sent to a backend.
    ///
    /// The request then counts as complete, and the client may send another one.
    func discardUnsentBody() {
        guard !self.transport.isStream, !self.requestHasEnded else { return }
        let body = self.inbound
        guard let count = self.request.body.countToEnd(in: body, trailerFields: self.rules.table)
        else { return }
        self.inbound.moveReaderIndex(forwardBy: count)
        _ = self.exchange.requestEnded()
    }

    /// Discards the rest of the body, and then writes the response that was held in the meantime.
    ///
    /// The response is written early if the body is too long, or if there is no budget for it.
    ///
    /// - Returns: Whether there may be more to read.
    func awaitBody() -> Bool {
        if case .stream(let stream) = self.transport {
            self.awaitContent(of: stream)
            return false
        }
        let inbound = self.inbound
        switch self.request.body.discard(inbound, trailerFields: self.rules.table) {
        case .more where self.flow.isInputClosed:
            self.answerHeld(keepsClient: false)
            return false
        case .more(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            self.loop.counters.discardedBytes += UInt64(consumed)
            guard !self.mayAwaitMore(after: consumed) else { return false }
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

    /// Discards content from an HTTP/2 client, and writes the held response at the end of the body or at a limit.
    private func awaitContent(of stream: HTTP2Stream) {
        let count = self.inbound.readableBytes
        self.inbound = self.loop.emptyBuffer
        self.loop.counters.discardedBytes += UInt64(count)
        if stream.hasEndedRequest {
            guard self.exchange.requestEnded() == .answer else { return }
            self.answerHeld(keepsClient: self.acceptsNextRequest)
        } else if !self.mayAwaitMore(after: count) {
            self.answerHeld(keepsClient: false)
        }
    }

    /// Writes the response that is held until the request body is complete, if there is one.
    func endAwait() {
        guard case .awaitingBody = self.exchange else { return }
        self.answerHeld(keepsClient: false)
        self.settle()
    }

    /// Charges discarded bytes of the body for which the response is held.
    ///
    /// - Returns: Whether the response may wait for more bytes.
    private func mayAwaitMore(after count: Int) -> Bool {
        let limits = self.loop.settings.discardLimits
        return self.exchange.awaited(bytes: count, limits: limits) == .wait
            && self.chargeDiscarded(count)
    }

    /// Discards the bytes that arrive after the last response.
    ///
    /// - Returns: `false`, because there is nothing more to read.
    func discardInbound() -> Bool {
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

    /// The client whose budget is charged for discarded bytes.
    ///
    /// The client is `nil` if a trusted proxy does not forward the client's address.
    var discardClient: ClientNetwork? {
        self.origin.isTrusted
            ? self.request.discards.forwardedClient : ClientNetwork(self.origin.address)
    }

    private func chargeDiscarded(_ count: Int) -> Bool {
        let client = self.discardClient
        return self.request.discards.charge(count, to: client, self.clients.discardBudget)
    }
}
