import Logging
import NIOCore
internal import NIOSSL
internal import NIOTLS

/// The events of the client's channel.
extension ClientConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        let bypasses = self.loop.settings.bypassesChannel(isSecure: self.origin.isSecure)
        self.transport = .channel(ChannelOutput(context, bypassesChannel: bypasses))
        self.channelIsWritable = context.channel.isWritable
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.transport = .none
    }

    func channelActive(context: ChannelHandlerContext) {
        let hasRoom = self.clients.hasRoom
        let isOpen = !self.loop.isDraining || self.loop.drainGrace > .zero
        // A connection that was parked is counted already.
        guard self.isResumed || hasRoom && self.isWelcome && isOpen else {
            if !hasRoom {
                self.loop.refused(.connections)
            } else if !self.isWelcome {
                self.loop.refused(.connectionsPerAddress, ["client": "\(self.origin.address)"])
            }
            guard self.clients.hasRoomForRefusal else { return context.close(promise: nil) }
            self.clients.add(self)
            self.refusal = self.isWelcome ? .overloaded : .tooManyFromAddress
            if !self.origin.isSecure { self.answerRefusal() }
            return
        }
        self.clients.add(self)
        if self.loop.isDraining { self.drain(grace: self.loop.drainGrace) }
    }

    private func answerRefusal() {
        guard let refusal = self.refusal.take() else { return }
        self.answer(refusal, keepsClient: false)
        self.flush()
    }

    func read(context: ChannelHandlerContext) {
        if self.mayRead {
            context.read()
        } else {
            self.hasHeldRead = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        if self.request.readsMuch { bytes = self.loop.largeBuffers.reclaim(bytes) }
        self.received(bytes)
    }

    /// Takes bytes of the client.
    @inline(__always)
    func received(_ bytes: consuming ByteBuffer) {
        if self.inbound.readableBytes == 0 {
            self.inbound = bytes
        } else {
            // Without this a client that never lets the buffer become empty would make it grow.
            self.inbound.discardReadBytes()
            self.inbound.writeBuffer(&bytes)
        }
        self.settle()
        // Empty, it would still hold on to the memory that the next read wants to use.
        if self.inbound.readableBytes == 0 { self.inbound = self.loop.emptyBuffer }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Nobody stands behind it who would want to hear of that.
        if self.mayRead { self.transport.readNext() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.channelIsWritable = context.channel.isWritable
        if self.channelIsWritable { self.becameWritable() }
    }

    /// The client takes more again.
    func becameWritable() {
        if case .forwarding(let forwarding) = self.exchange, forwarding.responseStarted {
            self.renewDeadline()
        }
        self.settle()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            return negotiated == "h2" ? self.becomeHTTP2() : self.answerRefusal()
        }
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        self.clientEnded()
    }

    /// The client has closed its side.
    func clientEnded() {
        self.inputClosed = true
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

    /// The client is gone, whatever was under way.
    func gone() {
        self.exchange.close()
        self.rejudgeable = nil
        self.dropUpstream()
        self.finishLogEntry()
        if self.hasStreamPlace {
            self.hasStreamPlace = false
            self.clients.closeStream()
        }
        self.clients.remove(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client ended its side without saying so in TLS. Requests tell their own length, so
        // that nothing can be missing unnoticed; the end itself is heard of next.
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
