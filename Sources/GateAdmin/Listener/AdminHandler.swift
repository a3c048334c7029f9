internal import NIOCore
internal import NIOHTTP1

/// One connection of the admin listener: carries out what its exchange says.
final class AdminHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let endpoints: AdminEndpoints
    private let hub: AdminEventHub
    private let limits: AdminLimits
    private var exchange: AdminExchange
    private var deadline: Scheduled<Void>?
    /// Whether the answer is a stream of events, which has no end of its own.
    private var isStreaming = false

    init(
        _ endpoints: AdminEndpoints,
        _ hub: AdminEventHub,
        limits: AdminLimits,
        hosts: AdminHosts,
        tokens: AdminTokens?,
        isLocal: Bool
    ) {
        self.endpoints = endpoints
        self.hub = hub
        self.limits = limits
        self.exchange = AdminExchange(limits, hosts, tokens: tokens, isLocal: isLocal)
    }

    func channelActive(context: ChannelHandlerContext) {
        self.expect(within: self.limits.idle, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.deadline?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.receive(head, context)
        case .body(let piece): self.receive(piece, context)
        case .end: self.receiveEnd(context)
        }
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
        // The decoder closes as soon as this returns.
        if let error = error as? HTTPParserError, let answer = self.exchange.receiveNonsense(error)
        {
            self.send(answer, context)
        }
        context.close(promise: nil)
    }

    private func receive(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        self.expect(within: self.limits.body, context)
        switch self.exchange.receiveHead(head) {
        case .read: break
        case .readAfterContinue:
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(self.wrapOutboundOut(.head(head)), promise: nil)
        case .refuse(let answer): self.send(answer, context)
        }
    }

    private func receive(_ piece: ByteBuffer, _ context: ChannelHandlerContext) {
        switch self.exchange.receiveBody(piece) {
        case .wait: break
        case .refuse(let answer): self.send(answer, context)
        case .close: context.close(promise: nil)
        }
    }

    private func receiveEnd(_ context: ChannelHandlerContext) {
        switch self.exchange.receiveEnd() {
        case .close:
            context.close(promise: nil)
        case .answer(let request):
            if request.route == .events, self.hub.add(context.channel) {
                self.deadline?.cancel()
                self.isStreaming = true
                return
            }
            self.expect(within: self.limits.answer, context)
            let peer = context.remoteAddress.map { $0.ipAddress ?? "\($0)" } ?? ""
            let endpoints = self.endpoints
            let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
            let context = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.value.eventLoop.makeFutureWithTask {
                await endpoints.answer(request, from: peer)
            }.whenSuccess { answer in
                guard context.value.channel.isActive else { return }
                handler.value.finish(answer, context.value)
            }
        }
    }

    /// Answers a request that was read to its end.
    private func finish(_ answer: AdminAnswer, _ context: ChannelHandlerContext) {
        self.exchange.finish()
        self.expect(within: self.limits.idle, context)
        let keepsConnection = self.exchange.keepsConnection
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        self.send(answer, context.value).whenComplete { _ in
            if !keepsConnection { context.value.close(promise: nil) }
        }
    }

    @discardableResult
    private func send(
        _ answer: AdminAnswer,
        _ context: ChannelHandlerContext
    ) -> EventLoopFuture<Void> {
        let head = answer.head(keepsConnection: self.exchange.keepsConnection)
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        if !self.exchange.isHead {
            let body = context.channel.allocator.buffer(bytes: answer.body)
            context.write(self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: sent)
        return sent.futureResult
    }

    /// Closes the connection unless something else is expected by then.
    private func expect(within time: TimeAmount, _ context: ChannelHandlerContext) {
        self.deadline?.cancel()
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        self.deadline = context.value.eventLoop.scheduleTask(in: time) {
            context.value.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension AdminHandler: Sendable {}
