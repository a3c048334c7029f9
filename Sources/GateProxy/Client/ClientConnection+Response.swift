import GateWire
import Logging
import NIOCore

/// The events that the backend's connection tells.
///
/// A piece of a response may be followed by another one that was read with it: `settle()` is for the caller to call,
/// behind the last of them. All other events end in it here.
extension ClientConnection: UpstreamReceiver {
    func responseHead(_ head: ResponseHead, facts: ResponseFacts, bytes: Span<UInt8>) {
        // The backend looks at the request: it will not refuse to.
        self.request.sent = nil
        let dechunks = self.request.isHTTP10 && facts.framing == .chunked
        let action = self.exchange.responseHead(
            status: head.status,
            switchesAsOffered: self.isOffered(head, facts: facts, bytes: bytes),
            // A client that has its answer may leave the rest of its body out, and so may a proxy: that could not be told
            // from the next request (RFC 9110 10.1.1).
            endsByClose: facts.framing == .untilClose || dechunks
                || !self.transport.isStream && !self.requestHasEnded
        )
        if !head.isInterim || action == .tunnel {
            self.endPending()
            self.answerHasBegun()
        }
        let isWebSocket = action == .tunnel && self.upgradesTo("websocket", head, facts, bytes)
        switch action {
        case .forwardInterim:
            if head.status == 100 { self.request.awaitsContinue = false }
            // HTTP/1.0 has no interim answers (RFC 9110 15.2).
            guard !self.request.isHTTP10 else { return }
            self.write(head, facts: facts, bytes: bytes, connection: .keep)
        case .forward(let keepsClient):
            if 500...599 ~= head.status { self.backendFailed() }
            let request = self.request.forwarded.take()
            self.request.dechunks = dechunks
            self.request.framesContent = head.hasUnannouncedBody && !dechunks
            self.request.endsByClose = facts.framing == .untilClose || dechunks
            self.request.upstreamKeepsAlive = facts.keepsAlive
            self.request.logEntry?.forwarded(head.status)
            self.write(
                head,
                facts: facts,
                bytes: bytes,
                connection: self.connection(keepsClient: keepsClient)
            )
            if facts.isEventStream, request?.isRepeatable == true {
                self.keepRejudgeable(request, isWebSocket: false)
            } else if let request {
                self.loop.giveBack(request.bytes)
            }
            if self.request.isCall { self.callGoesOn() }
            // The next piece has all of its time.
            self.renewDeadline()
        case .tunnel:
            self.request.logEntry?.forwarded(head.status)
            self.write(head, facts: facts, bytes: bytes, connection: .upgrade)
            self.renewDeadline()
            self.upstream?.beginTunnel()
            self.keepRejudgeable(self.request.forwarded.take(), isWebSocket: isWebSocket)
            if case .stream(let stream) = self.transport { stream.beginTunnel() }
        case .badGateway:
            self.fail(.badGateway)
        case .discard:
            self.dropUpstream()
        }
    }

    private func write(
        _ head: ResponseHead,
        facts: ResponseFacts,
        bytes: Span<UInt8>,
        connection: ResponseHeadWriter.Connection
    ) {
        let fields = head.isInterim ? .none : self.request.verdict?.clientFields ?? .none
        if case .stream(let stream) = self.transport {
            return stream.write(head, facts: facts, bytes: bytes, adding: fields.block)
        }
        var buffer = self.outbound.take() ?? self.loop.takeBuffer()
        ResponseHeadWriter.write(
            head,
            facts: facts,
            bytes: bytes,
            connection: connection,
            removesFraming: self.request.dechunks,
            adding: fields.text,
            into: &buffer
        )
        self.outbound = buffer
    }

    func connection(keepsClient: Bool) -> ResponseHeadWriter.Connection {
        switch (keepsClient, self.request.isHTTP10) {
        case (true, false): .keep
        case (true, true): .keepExplicitly
        case (false, _): .close
        }
    }

    private func upgradesTo(
        _ name: StaticString,
        _ head: ResponseHead,
        _ facts: ResponseFacts,
        _ bytes: Span<UInt8>
    ) -> Bool {
        guard let index = facts.upgradeLine else { return false }
        let line = head.fields.lines[index]
        return bytes.matches(name, from: line.valueStart, to: line.valueEnd)
    }

    /// Whether a 101 changes to a protocol that the client has offered (RFC 9110 7.8).
    private func isOffered(
        _ head: ResponseHead,
        facts: ResponseFacts,
        bytes: Span<UInt8>
    ) -> Bool {
        guard head.status == 101, let index = facts.upgradeLine else { return false }
        if case .stream(let stream) = self.transport, !stream.isAccepted(by: head, in: bytes) {
            return false
        }
        let line = head.fields.lines[index]
        return self.request.offeredProtocols.contains(
            bytes.text(from: line.valueStart, to: line.valueEnd).lowercased()
        )
    }

    /// Passes on what is there of the response's body.
    func consumeResponseBody(
        _ reader: inout BodyReader,
        from inbound: ByteBuffer
    ) -> ChunkedScanner.Progress {
        self.renewDeadline()
        let bytes = inbound.readableBytesUInt8Span
        if case .stream(let stream) = self.transport {
            return self.consume(bytes, by: &reader, for: stream)
        }
        guard !self.request.dechunks else {
            var content = self.loop.takeBuffer()
            let progress = reader.consume(bytes, trailerFields: .response) { start, end in
                content.write(bytes, from: start, to: end)
            }
            self.write(content)
            return progress
        }
        var extensions: [Range<Int>] = []
        let progress = reader.consume(
            bytes,
            trailerFields: .response,
            onExtension: { start, end in extensions.append(start..<end) }
        )
        switch progress {
        case .more(let consumed), .end(let consumed):
            if consumed > 0, let slice = inbound.slice(of: consumed, without: extensions) {
                self.write(slice)
            }
        case .malformed:
            break
        }
        return progress
    }

    func responseContent(_ content: ByteBuffer, isLast: Bool) {
        self.renewDeadline()
        if case .stream(let stream) = self.transport {
            self.request.logEntry?.bytes += content.readableBytes
            stream.append(content.readableBytesUInt8Span, from: 0, to: content.readableBytes)
            if isLast { stream.endContent() } else { stream.sendContent() }
        } else if self.request.framesContent {
            self.writeChunk(content, isLast: isLast)
        } else if content.readableBytes > 0 {
            self.write(content)
        }
    }

    /// Writes a chunk in one piece, which costs less on its way through the kernel than three.
    private func writeChunk(_ content: ByteBuffer, isLast: Bool) {
        let isSmall = content.readableBytes <= Self.copyLimit
        var chunk =
            isSmall
            ? self.loop.takeBuffer()
            : ByteBufferAllocator().buffer(capacity: content.readableBytes + 32)
        chunk.writeChunk(content, isLast: isLast)
        self.write(chunk)
        self.loop.giveBack(chunk)
    }

    var takesTrailersBehindLength: Bool { self.transport.isStream }

    func responseTrailers(_ trailers: HeaderList) {
        if case .stream(let stream) = self.transport {
            let bytes = trailers.bytes.span
            for line in trailers.lines { stream.append(trailer: line, in: bytes) }
            stream.endContent()
        } else if self.request.framesContent {
            var end = self.loop.takeBuffer()
            end.writeLastChunk(trailers: trailers)
            self.write(end)
            self.loop.giveBack(end)
        }
    }

    /// Passes content on without the framing of HTTP/1.1.
    private func consume(
        _ bytes: Span<UInt8>,
        by reader: inout BodyReader,
        for stream: HTTP2Stream
    ) -> ChunkedScanner.Progress {
        let progress = reader.consume(
            bytes,
            trailerFields: .response,
            onData: { start, end in
                self.request.logEntry?.bytes += end - start
                stream.append(bytes, from: start, to: end)
            },
            onTrailer: { line in stream.append(trailer: line, in: bytes) }
        )
        switch progress {
        case .more: stream.sendContent()
        case .end: stream.endContent()
        case .malformed: break
        }
        return progress
    }

    func tunnelReceived(_ bytes: ByteBuffer) {
        self.renewDeadline()
        self.passFromTunnel(bytes)
    }

    /// The response is complete.
    func responseEnded(upstreamKeepsAlive: Bool) {
        let isReusable = upstreamKeepsAlive && self.request.upstreamKeepsAlive
        let action = self.exchange.responseEnded(
            limits: self.loop.settings.discardLimits,
            isStream: self.transport.isStream
        )
        switch action {
        case .next:
            self.releaseUpstream(reusable: isReusable)
            self.nextRequest()
        case .dropUpstream:
            self.dropUpstream()
            self.nextRequest()
        case .linger(let requestEnded):
            if requestEnded {
                self.releaseUpstream(reusable: isReusable)
            } else {
                self.dropUpstream()
            }
            self.linger()
        case .close:
            self.flush()
            self.abort()
        }
    }

    private func releaseUpstream(reusable: Bool) {
        let upstream = self.upstream
        self.upstream = nil
        upstream?.release(reusable: reusable && !self.loop.isDraining, now: self.loop.now)
    }

    /// The backend's connection ended before the response did.
    ///
    /// `wasReset`: whether it did not end in order.
    func upstreamEnded(wasReset: Bool) {
        // Of a stream that can be told to the client (RFC 8441 5).
        if wasReset, case .tunnel = self.exchange, self.transport.isStream {
            self.dropUpstream()
            return self.closeAfterWriting()
        }
        switch self.exchange.upstreamEnded() {
        case .retry:
            self.dropUpstream()
            self.sendAnew()
        case .badGateway:
            self.upstream?.member?.answerFailed()
            self.fail(.badGateway)
        case .abort where self.request.endsByClose:
            self.reset()
        case .abort:
            self.closeAfterWriting()
        case .endClient:
            self.flush()
            self.transport.closeOutput()
            self.renewDeadline(for: .body)
        case .closeClient:
            self.transport.endContent()
            self.closeAfterWriting()
        case .doNothing:
            self.dropUpstream()
        }
        self.settle()
    }

    /// The backend has not looked at the request, and never will on its connection.
    func upstreamRefused() {
        switch self.exchange.upstreamRefused() {
        case .retry:
            self.dropUpstream()
            self.sendAnew()
        case .badGateway:
            self.upstream?.member?.answerFailed()
            self.fail(.badGateway)
        case .doNothing:
            self.dropUpstream()
        }
        self.settle()
    }

    /// The backend sent something that is no HTTP response.
    func upstreamFailed(_ fault: MessageFault) {
        self.loop.faultLog.report(.malformedResponse, ["fault": "\(fault.explanation)"])
        self.upstreamGaveUp()
    }

    /// No acceptable answer will come, and the backend has seen the request.
    func upstreamGaveUp() {
        self.upstream?.member?.answerFailed()
        switch self.exchange.upstreamBroke() {
        case .badGateway: self.fail(.badGateway)
        case .abort where self.request.endsByClose: self.reset()
        case .abort:
            // The part that came before is the client's; without its end it does not look complete.
            self.dropUpstream()
            self.closeAfterWriting()
        case .doNothing: self.dropUpstream()
        }
        self.settle()
    }
}
