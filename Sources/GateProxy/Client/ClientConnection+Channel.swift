import GateWire
import Logging
import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Handlers for events on the client's channel.
extension ClientConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        let bypasses = self.loop.settings.bypassesChannel(isSecure: self.origin.isSecure)
        self.transport = .channel(ChannelOutput(context, bypassesChannel: bypasses))
        self.flow.isWritable = context.channel.isWritable
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.transport = .none
    }

    func channelActive(context: ChannelHandlerContext) {
        guard let answer = self.checkLimits() else {
            self.clients.add(self)
            if self.loop.isDraining { self.drain(grace: self.loop.drainGrace) }
            return
        }
        guard self.clients.hasRoomForRefusal else { return context.close(promise: nil) }
        self.clients.add(self)
        self.admission = .rejected(answer)
        if !self.origin.isSecure { self.answerRejection() }
    }

    /// Returns the response that rejects the connection, and reports the exceeded limit.
    ///
    /// The response is `nil` if no limit is exceeded.
    private func checkLimits() -> GateAnswer? {
        let hasRoom = self.clients.hasRoom
        let isOpen = !self.loop.isDraining || self.loop.drainGrace > .zero
        switch self.admission {
        case .resumed: return nil
        case .admitted where hasRoom && isOpen: return nil
        case .admitted, .rejected:
            if !hasRoom { self.loop.refused(.connections) }
            return .overloaded
        case .overClientLimit:
            if hasRoom {
                self.loop.refused(.connectionsPerAddress, ["client": "\(self.origin.address)"])
            } else {
                self.loop.refused(.connections)
            }
            return .tooManyFromAddress
        }
    }

    private func answerRejection() {
        guard let answer = self.rejection else { return }
        self.admission = .rejected(nil)
        self.answer(answer, keepsClient: false)
        self.output.flush()
    }

    func read(context: ChannelHandlerContext) {
        if self.mayRead {
            context.read()
        } else {
            self.flow.isReadHeld = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        if self.request.body.usesLargeReads { bytes = self.loop.largeBuffers.reclaim(bytes) }
        self.received(bytes)
    }

    /// Handles bytes from the client.
    @inline(__always)
    func received(_ bytes: consuming ByteBuffer) {
        if self.inbound.readableBytes == 0 {
            self.inbound = bytes
        } else {
            // Without this call, a buffer that is never completely consumed would keep growing.
            self.inbound.discardReadBytes()
            self.inbound.writeBuffer(&bytes)
        }
        self.settle()
        // An empty buffer would retain the memory that the next read needs.
        if self.inbound.readableBytes == 0 { self.inbound = self.loop.emptyBuffer }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // There is no further handler to which the event could be passed.
        if self.mayRead { self.transport.readNext() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.flow.isWritable = context.channel.isWritable
        if self.flow.isWritable { self.becameWritable() }
    }

    /// Continues writing once the transport accepts more bytes.
    func becameWritable() {
        if case .forwarding(let forwarding) = self.exchange, forwarding.responseStarted {
            self.renewDeadline()
        }
        self.settle()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            return negotiated == "h2" ? self.becomeHTTP2() : self.answerRejection()
        }
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        self.clientEnded()
    }

    /// Handles the end of the client's input, which means that the client has closed its write side.
    func clientEnded() {
        self.flow.isInputClosed = true
        switch self.exchange.clientEnded(hasMore: self.inbound.readableBytes > 0) {
        case .finish: break
        case .close: self.closeAfterWriting()
        case .endUpstream:
            self.upstream?.endWriting()
            self.renewDeadline(for: .body)
        }
        self.settle()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.gone()
    }

    /// Handles the loss of the connection in any state.
    func gone() {
        self.exchange.close()
        self.request.revocable = nil
        self.dropUpstream()
        self.finishLogEntry()
        if self.request.holdsEventStream {
            self.request.holdsEventStream = false
            self.clients.closeStream()
        }
        self.clients.remove(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client has closed its write side without a TLS closure alert. The framing of the requests shows whether
        // anything is missing, and NIO reports the close itself next.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        if let problem = HandshakeProblem(error, with: .client), problem.isActionable {
            self.loop.faultLog.report(
                .failedHandshake(problem),
                ["client": "\(self.origin.address)"]
            )
        }
        context.close(promise: nil)
    }
}

/// Methods that end a connection.
extension ClientConnection {
    /// Closes the connection immediately, in any state.
    func abort() {
        self.exchange.close()
        self.dropUpstream()
        self.transport.close()
    }

    /// Resets the connection.
    ///
    /// If closing the connection marks the end of a response body, only a reset shows the client that the body is
    /// incomplete.
    func reset() {
        self.transport.prepareReset()
        self.abort()
    }

    /// Aborts a response so that the client can detect that the response is incomplete.
    ///
    /// The client receives the part that has arrived, but no end marker. If closing the connection would mark the end,
    /// the connection is reset instead.
    func cutResponse() {
        guard !self.request.response.framing.endsByClose else { return self.reset() }
        self.dropUpstream()
        self.closeAfterWriting()
    }

    /// Closes the write side after the last write, and the connection after the client has closed its write side.
    ///
    /// If the client does not close its write side, the connection is closed at a deadline.
    func linger() {
        self.request.discards.begin(free: HTTP2OwnSettings.firstWindow)
        self.output.flush()
        // The response timeout applies to the last write; the linger time starts after it.
        self.renewDeadline()
        self.transport.whenWritten {
            // Once both directions are closed, NIO drops the bytes that have not been written.
            guard !self.flow.isInputClosed else {
                self.transport.endContent()
                return self.abort()
            }
            self.exchange.lastResponseWritten(
                end: self.loop.now + self.loop.settings.discardLimits.time
            )
            self.renewDeadline()
            self.transport.closeOutput()
        }
    }

    /// Closes the connection once all bytes are written to the client and to the backend.
    func closeAfterWriting() {
        self.exchange.close()
        self.output.flush()
        self.renewDeadline()
        self.transport.whenWritten {
            guard let upstream = self.upstream else { return self.abort() }
            upstream.transport.whenWritten { self.abort() }
        }
    }

    /// Lets the exchange complete before the gate exits.
    ///
    /// `grace` is how long an idle connection stays open for a request that may be in transit.
    func drain(grace: TimeAmount) {
        self.exchange.drain()
        if case .streaming = self.exchange { self.endStream() }
        // For streams, `HTTP2Connection` sends `GOAWAY`.
        guard case .channel = self.transport else { return }
        guard self.exchange.isBetweenRequests, self.inbound.readableBytes == 0 else { return }
        guard grace > .zero || self.hasUnread else { return self.closeAfterWriting() }
        self.limitDeadline(to: grace)
    }

    func deadlineReached() {
        if case .streaming = self.exchange { return self.heartbeatIsDue() }
        // A request that has arrived gets a response, even if the event loop is late in reading it.
        guard !self.isSilent || !self.hasUnread else { return }
        guard !self.isBackendReading else {
            return self.renewDeadline(for: .response)
        }
        let action = self.exchange.timedOut(
            hasPartialHead: self.inbound.readableBytes > 0,
            upstreamStalls: self.upstream.map { !$0.isWritable } ?? false,
            isRepeatable: self.request.forwarded?.isRepeatable == true,
            limits: self.loop.settings.discardLimits
        )
        switch action {
        case .requestTimeout: self.fail(.requestTimeout)
        case .gatewayTimeout:
            self.upstream?.member?.answerFailed(isSilent: true)
            self.fail(.gatewayTimeout)
        case .tryAnotherBackend: self.tryAnotherAddress()
        case .answerAndLinger:
            self.answerHeld(keepsClient: false)
            self.settle()
        case .close: self.abort()
        }
    }

    /// Whether the connection is waiting for a request, and the event loop has read no part of it.
    ///
    /// While the connection waits for its first request, unread bytes may belong to something else, such as a
    /// handshake. Such bytes extend the wait only during a drain, which has its own time limit.
    private var isSilent: Bool {
        guard self.inbound.readableBytes == 0 else { return false }
        return switch self.exchange {
        case .head: self.loop.isDraining
        case .idle: self.loop.isDraining || self.mayRead
        case .forwarding, .awaitingBody, .awaitingMessage, .streaming, .lingering, .tunnel, .closed:
            false
        }
    }

    /// Whether the client's socket holds bytes that the event loop has not read.
    var hasUnread: Bool {
        guard case .channel(let output) = self.transport else { return false }
        let pipeline = output.context.pipeline.syncOperations
        let peek = try? pipeline.withUnsafeTransportIfAvailable(of: CInt.self) { SocketPeek($0) }
        return peek == .bytes
    }

    /// Returns the backend connection to its pool after a complete response, or closes it if it cannot be reused.
    func releaseUpstream(reusable: Bool) {
        let upstream = self.upstream
        self.upstream = nil
        upstream?.release(reusable: reusable && !self.loop.isDraining, now: self.loop.now)
    }

    /// Closes a backend connection that cannot serve another request.
    func dropUpstream() {
        let upstream = self.upstream
        self.upstream = nil
        // The request no longer waits for a connection.
        _ = self.exchange.endConnecting()
        self.endPending()
        self.request.trial.take()?.end()
        upstream?.close()
    }
}

/// Methods that upgrade the connection to HTTP/2.
extension ClientConnection {
    /// Detects the HTTP/2 connection preface (prior knowledge, RFC 9113 section 3.3) in a head invalid in HTTP/1.1.
    ///
    /// - Returns: Whether the connection uses HTTP/2 from now on.
    func detectHTTP2Preface() -> Bool {
        // Over TLS, ALPN has already selected the protocol.
        guard !self.heads.parser.hasReadLine, !self.origin.isSecure,
            case .channel = self.transport
        else { return false }
        if case .resumed = self.admission { return false }
        let inbound = self.inbound
        guard HTTP2Preface.isBegun(by: inbound.readableBytesUInt8Span) else { return false }
        self.becomeHTTP2()
        return true
    }

    /// Replaces this handler with an `HTTP2Connection`, which receives the bytes that have been read.
    private func becomeHTTP2() {
        guard case .channel(let output) = self.transport, self.exchange == .head else { return }
        let context = output.context
        let received = self.inbound
        self.inbound = ByteBuffer()
        self.exchange.close()
        let connection = HTTP2Connection(clients: self.clients, origin: self.origin)
        let pipeline = context.pipeline.syncOperations
        do {
            try pipeline.addHandler(connection, position: .after(self))
        } catch {
            return context.close(promise: nil)
        }
        self.clients.remove(self)
        pipeline.removeHandler(context: context, promise: nil)
        if self.rejection != nil { connection.fail(.enhanceYourCalm) }
        if received.readableBytes > 0 { connection.begin(with: received) }
    }
}

/// Methods for the lifecycle of a stream.
///
/// A `ClientConnection` can serve one stream after another.
extension ClientConnection {
    /// Prepares the object for its next stream.
    func enterStream() {
        if self.rules !== self.loop.rules { self.rulesChanged() }
        self.exchange.begin()
        self.clients.add(stream: self)
    }

    /// Ends the current stream.
    ///
    /// - Returns: Whether the object may be reused for another stream.
    func leaveStream() -> Bool {
        guard self.exchange.isBetweenRequests, self.inbound.readableBytes == 0,
            self.output.pendingCount == nil, self.upstream == nil, self.request.revocable == nil,
            !self.request.holdsEventStream, !self.request.response.isPending
        else { return false }
        self.clients.remove(self)
        return true
    }

    /// The key of a WebSocket that the client opens over HTTP/2; `nil` for all other requests.
    var webSocketKey: WebSocketKey? {
        guard case .stream(let stream) = self.transport else { return nil }
        return stream.webSocketKey
    }

    /// Returns the status code of a response to this client.
    ///
    /// A request for a WebSocket over HTTP/2 gets no 2xx status, because that would open the WebSocket.
    @inline(__always)
    func status(of answer: RenderedAnswer) -> Int {
        self.webSocketKey == nil ? answer.status : self.webSocketStatus(of: answer)
    }

    private func webSocketStatus(of answer: RenderedAnswer) -> Int {
        answer.failureStatus(for: self.request.verdict?.decision)
    }

    /// Rejects a stream's request because its head is invalid.
    func refuse(_ fault: MessageFault, isHead: Bool) {
        self.request.response.begin(isHead: isHead, isHTTP10: false)
        self.refuse(GateAnswer(fault))
    }

    /// Holds back the frames of the client's streams until the output of the returned connection is released.
    ///
    /// - Returns: The connection of the streams; `nil` for HTTP/1.1, or if the frames are already held back.
    @inline(__always)
    func holdOutput() -> (any HeldOutput)? {
        guard case .stream(let stream) = self.transport else { return nil }
        let connection = stream.connection
        guard !connection.outbox.isHeld else { return nil }
        connection.outbox.hold()
        return connection
    }
}
