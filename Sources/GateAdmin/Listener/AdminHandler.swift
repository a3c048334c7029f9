internal import GateProxy
internal import NIOCore
internal import NIOHTTP1

/// The channel handler of an admin connection; it performs the actions of its `AdminExchange`.
final class AdminHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let endpoints: AdminEndpoints
    private let hub: AdminEventHub
    private let connections: AdminConnections
    private let closing: DrainingCloseHandler
    private let limits: AdminLimits
    private let tokens: AdminTokenFile?
    private let channel: any Channel
    let network: ClientNetwork?
    private var exchange: AdminExchange
    private var phase: AdminPhase?
    private var deadline: Scheduled<Void>?
    /// The audience of the last request that was read.
    private var audience = AdminAudience.open
    /// Whether a part of the response has not been written to the kernel yet.
    private var isSending = false
    /// Whether the response is an event stream, which does not end on its own.
    private var isStreaming = false

    /// Creates the last handler of a channel; `closing` is the first handler.
    init(
        _ endpoints: AdminEndpoints,
        _ hub: AdminEventHub,
        _ connections: AdminConnections,
        _ closing: DrainingCloseHandler,
        limits: AdminLimits,
        hosts: AdminHosts,
        tokens: AdminTokenFile?,
        channel: any Channel
    ) {
        self.endpoints = endpoints
        self.hub = hub
        self.connections = connections
        self.closing = closing
        self.limits = limits
        self.tokens = tokens
        self.channel = channel
        self.network = channel.remoteAddress?.ipAddress.flatMap { ClientNetwork($0) }
        self.exchange = AdminExchange(limits, hosts)
    }

    // MARK: Channel events

    func channelActive(context: ChannelHandlerContext) {
        self.enter(.waiting, within: self.limits.head)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.deadline?.cancel()
        self.connections.move(self, to: nil)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.receive(head)
        case .body(let piece): self.receive(piece)
        case .end: self.receiveEnd()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // A body that arrived together with its head needs no slot.
        if let audience = self.exchange.receivingAudience, self.phase == .waiting {
            self.enter(.receiving(audience))
        }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event,
            self.exchange.receiveEndOfInput() || self.isStreaming
        {
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
        if let answer = self.exchange.receiveInvalidInput(error) { self.send(answer) }
    }

    // MARK: Requests

    private func receive(_ head: HTTPRequestHead) {
        switch self.exchange.receiveHead(head, tokens: self.tokens?.current()) {
        case .discard: break
        case .read: self.expect(within: self.limits.body)
        case .readAfterContinue:
            self.expect(within: self.limits.body)
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            self.channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: nil)
        case .refuse(let answer): self.send(answer)
        }
    }

    private func receive(_ piece: ByteBuffer) {
        switch self.exchange.receiveBody(piece) {
        case .wait: break
        case .refuse(let answer): self.send(answer)
        case .close: self.channel.close(promise: nil)
        }
    }

    private func receiveEnd() {
        switch self.exchange.receiveEnd() {
        case .discard: break
        case .close: self.channel.close(promise: nil)
        case .answer(let request): self.answer(request)
        }
    }

    /// Starts processing a complete request.
    ///
    /// The response is sent in a later event-loop tick. Sending makes the decoder read the next pipelined request, and
    /// the recursion would otherwise grow with the number of requests.
    private func answer(_ request: AdminRequest) {
        let audience = request.route.audience
        self.audience = audience
        let eventLoop = self.channel.eventLoop
        if request.route == .events, self.hub.add(self.channel) {
            self.deadline?.cancel()
            self.isStreaming = true
            return self.enter(nil)
        }
        if let probe = self.endpoints.probe(request.route, on: eventLoop) {
            self.enter(.probing, within: self.limits.answer)
            return self.send(probe)
        }
        self.enter(nil)
        self.expect(within: self.limits.answer)
        guard self.connections.beginWork(for: audience) else {
            return self.send(eventLoop.submit { AdminAnswer.tooManyRequests })
        }
        let peer = self.channel.remoteAddress.map { $0.ipAddress ?? "\($0)" } ?? ""
        let endpoints = self.endpoints
        let work = eventLoop.makeFutureWithTask { await endpoints.answer(request, from: peer) }
        let connections = self.connections
        work.assumeIsolated().whenComplete { _ in connections.endWork(for: audience) }
        self.send(work)
    }

    // MARK: Responses

    private func send(_ answer: EventLoopFuture<AdminAnswer>) {
        answer.assumeIsolated().whenComplete { result in
            guard self.channel.isActive else { return }
            switch result {
            case .success(let answer): self.send(answer)
            case .failure: self.channel.close(promise: nil)
            }
        }
    }

    private func send(_ answer: AdminAnswer) {
        self.expect(within: self.limits.answer)
        let head = answer.head(keepsConnection: self.exchange.keepsConnection)
        let sent = self.channel.eventLoop.makePromise(of: Void.self)
        self.isSending = true
        if self.exchange.isHead || answer.body.isEmpty {
            self.channel.writeAndFlush(HTTPServerResponsePart.head(head), promise: sent)
        } else {
            self.channel.write(HTTPServerResponsePart.head(head), promise: nil)
            let body = self.channel.allocator.buffer(bytes: answer.body)
            self.channel.writeAndFlush(
                HTTPServerResponsePart.body(.byteBuffer(body)),
                promise: sent
            )
        }
        sent.futureResult.assumeIsolated().whenSuccess { self.finish() }
        if self.isSending { self.enter(.sending(self.audience)) }
    }

    /// Starts the next request, or closes the connection.
    ///
    /// The handler calls this method once the kernel has the whole response. If it were called earlier, responses to
    /// pipelined requests would accumulate in memory while the client reads none of them.
    private func finish() {
        self.isSending = false
        self.exchange.finish()
        let end = HTTPServerResponsePart.end(nil)
        guard self.exchange.keepsConnection else {
            self.channel.writeAndFlush(end, promise: nil)
            self.enter(.draining, within: self.limits.drain)
            return self.closing.close(self.channel, discarding: self.limits.drainedBytes)
        }
        self.enter(.waiting, within: self.limits.idle)
        self.audience = .open
        // A request that has arrived in the meantime is processed within this call.
        self.channel.writeAndFlush(end, promise: nil)
    }

    // MARK: Limits

    private func enter(_ phase: AdminPhase?, within time: TimeAmount) {
        self.expect(within: time)
        self.enter(phase)
    }

    private func enter(_ phase: AdminPhase?) {
        // A failed write closes the channel before the write returns.
        guard phase == nil || self.channel.isActive else { return }
        self.phase = phase
        self.connections.move(self, to: phase)
    }

    /// Sets the deadline after which the connection is closed; it replaces the previous deadline.
    private func expect(within time: TimeAmount) {
        self.deadline?.cancel()
        let channel = self.channel
        self.deadline = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}

extension AdminHandler: AdminConnections.Member {
    func loseSlot() {
        self.phase = nil
        guard let answer = self.exchange.loseSlot() else {
            return self.channel.close(promise: nil)
        }
        self.send(answer)
    }
}

@available(*, unavailable)
extension AdminHandler: Sendable {}
