import GatePolicy
import GateWire
import Logging
import NIOCore

/// The events of the backend connection.
///
/// After events that pass on parts of a response, the caller calls `settle()`, once for everything from the same read.
/// The handlers of all other events call `settle()` themselves.
extension ClientConnection: UpstreamReceiver {
    func responseHead(_ head: ResponseHead, facts: ResponseFacts, bytes: Span<UInt8>) {
        self.request.body.dropSent()
        let framing = self.request.response.framing(of: head, facts: facts)
        let action = self.exchange.responseHead(
            status: head.status,
            switchesAsOffered: self.isOffered(head, facts: facts, bytes: bytes),
            // Once it has the response, a client or a proxy may omit the rest of the request body. The next request
            // would then be read as the rest of that body (RFC 9110 section 10.1.1).
            endsByClose: framing.endsByClose
                || !self.transport.isStream && !self.requestHasEnded
        )
        if !head.isInterim || action == .tunnel {
            self.endPending()
            self.request.timing.answered(on: self.loop)
        }
        switch action {
        case .forwardInterim:
            // HTTP/1.0 has no interim responses (RFC 9110 section 15.2).
            guard !self.request.response.isHTTP10 else { return }
            self.write(head, facts: facts, bytes: bytes, connection: .keep)
        case .forward(let keepsClient):
            if 500...599 ~= head.status { self.backendFailed() }
            let request = self.request.forwarded.take()
            self.request.response.relay(framing, upstreamKeepsAlive: facts.keepsAlive)
            self.request.logEntry?.forwarded(head.status)
            self.write(
                head,
                facts: facts,
                bytes: bytes,
                connection: self.request.response.connection(keepsClient: keepsClient)
            )
            if facts.isEventStream, request?.isRepeatable == true {
                self.keepRevocable(request, isWebSocket: false)
            } else if let request {
                self.loop.giveBack(request.bytes)
            }
            if self.request.isCall { self.callHasResponse() }
            self.renewDeadline()
        case .tunnel:
            let isWebSocket = self.upgrades(to: "websocket", head, facts, bytes)
            self.request.logEntry?.forwarded(head.status)
            self.write(head, facts: facts, bytes: bytes, connection: .upgrade)
            self.renewDeadline()
            self.upstream?.beginTunnel()
            self.keepRevocable(self.request.forwarded.take(), isWebSocket: isWebSocket)
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
            removesFraming: self.request.response.framing == .dechunked,
            adding: fields.text,
            into: &buffer
        )
        self.outbound = buffer
    }

    private func upgrades(
        to name: StaticString,
        _ head: ResponseHead,
        _ facts: ResponseFacts,
        _ bytes: Span<UInt8>
    ) -> Bool {
        guard let index = facts.upgradeLine else { return false }
        let line = head.fields.lines[index]
        return bytes.matches(name, from: line.valueStart, to: line.valueEnd)
    }

    /// Whether a 101 response switches to a protocol that the client has offered (RFC 9110 section 7.8).
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

    func consumeResponseBody(
        _ reader: inout BodyReader,
        from inbound: ByteBuffer
    ) -> ChunkedScanner.Progress {
        self.renewDeadline()
        let bytes = inbound.readableBytesUInt8Span
        if case .stream(let stream) = self.transport {
            return self.consume(bytes, by: &reader, for: stream)
        }
        guard self.request.response.framing != .dechunked else {
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

    /// Writes content to a stream, without HTTP/1.1 framing.
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

    func responseContent(_ content: ByteBuffer, isLast: Bool) {
        self.renewDeadline()
        if case .stream(let stream) = self.transport {
            self.request.logEntry?.bytes += content.readableBytes
            stream.append(content.readableBytesUInt8Span, from: 0, to: content.readableBytes)
            if isLast { stream.endContent() } else { stream.sendContent() }
        } else if case .chunked = self.request.response.framing {
            self.writeChunk(content, isLast: isLast)
        } else if content.readableBytes > 0 {
            self.write(content)
        }
    }

    /// Writes a chunk as one buffer, which costs the kernel less than three buffers.
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
        } else if case .chunked = self.request.response.framing {
            var end = self.loop.takeBuffer()
            end.writeLastChunk(trailers: trailers)
            self.write(end)
            self.loop.giveBack(end)
        }
    }

    func responseEnded(upstreamKeepsAlive: Bool) {
        let isReusable = upstreamKeepsAlive && self.request.response.upstreamKeepsAlive
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

    func upstreamEnded(wasReset: Bool) {
        // A reset can be forwarded to a stream (RFC 8441 section 5).
        if wasReset, case .tunnel = self.exchange, self.transport.isStream {
            self.dropUpstream()
            return self.closeAfterWriting()
        }
        switch self.exchange.upstreamEnded() {
        case .retry:
            self.dropUpstream()
            self.sendAgain()
        case .badGateway:
            self.upstream?.member?.answerFailed()
            self.fail(.badGateway)
        case .abort where self.request.response.framing.endsByClose:
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

    func upstreamRefused() {
        switch self.exchange.upstreamRefused() {
        case .retry:
            self.dropUpstream()
            self.sendAgain()
        case .badGateway:
            self.upstream?.member?.answerFailed()
            self.fail(.badGateway)
        case .doNothing:
            self.dropUpstream()
        }
        self.settle()
    }

    func upstreamFailed(_ fault: MessageFault) {
        self.loop.faultLog.report(.malformedResponse, ["fault": "\(fault.explanation)"])
        self.upstreamGaveUp()
    }

    func upstreamGaveUp() {
        self.upstream?.member?.answerFailed()
        switch self.exchange.upstreamViolatedProtocol() {
        case .badGateway: self.fail(.badGateway)
        case .abort where self.request.response.framing.endsByClose: self.reset()
        case .abort:
            // The client receives the part that has arrived, and can tell from the missing end that it is incomplete.
            self.dropUpstream()
            self.closeAfterWriting()
        case .doNothing: self.dropUpstream()
        }
        self.settle()
    }
}

/// Tunnels.
extension ClientConnection {
    /// Closes a WebSocket because the gate is about to stop.
    ///
    /// - Returns: Whether the connection is a WebSocket.
    func closeWebSocket() -> Bool {
        guard case .tunnel = self.exchange, let webSocket = self.request.revocable?.webSocket
        else { return false }
        if webSocket.revocation == nil {
            self.revoke(.shutdown)
            self.settle()
        }
        return true
    }

    /// Forwards bytes from the client to the backend.
    func passTunnel() -> Bool {
        guard let upstream = self.upstream,
            let bytes = self.inbound.readSlice(length: self.inbound.readableBytes),
            bytes.readableBytes > 0
        else { return false }
        self.renewDeadline()
        self.request.revocable?.webSocket?.receiveFromClient(bytes.readableBytesUInt8Span)
        upstream.write(bytes)
        return false
    }

    func tunnelReceived(_ bytes: ByteBuffer) {
        self.renewDeadline()
        let count = self.request.revocable?.webSocket?
            .receiveFromBackend(bytes.readableBytesUInt8Span)
        guard let count, self.request.revocable?.webSocket?.revocation != nil else {
            return self.write(bytes)
        }
        if let slice = bytes.getSlice(at: bytes.readerIndex, length: count) { self.write(slice) }
        self.closeWebSocketBetweenFrames()
    }

    /// Closes a revoked WebSocket, if the last frame from the backend is complete.
    func closeWebSocketBetweenFrames() {
        guard let webSocket = self.request.revocable?.webSocket, let frame = webSocket.closeFrame
        else { return }
        self.write(ByteBuffer(bytes: frame))
        if webSocket.mayCloseBackend { self.closeBackendWebSocket() }
        self.request.revocable = nil
        self.dropUpstream()
        self.exchange.linger(limits: self.loop.settings.discardLimits)
        self.linger()
    }

    /// Tells the backend that the client is going away (1001), regardless of the actual reason.
    private func closeBackendWebSocket() {
        let key = UInt32.random(in: 0...UInt32.max)
        let frame = WebSocketFrames.close(1001, "going away", maskedBy: key)
        self.upstream?.write(ByteBuffer(bytes: frame))
        self.upstream?.flush()
    }
}
