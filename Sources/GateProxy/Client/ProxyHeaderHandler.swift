import GateWire
import Logging
import NIOCore

/// The first handler of a connection, which parses the PROXY protocol header and then adds the other handlers.
///
/// Trusted proxies must send the header. Other peers must not send the header, because it could contain any address.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler, RegisteredConnection
{
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let clients: LoopClients
    private let loop: LoopContext
    private let peer: SocketAddress?
    private let isTrusted: Bool
    /// Adds the other handlers for a client with the given address.
    private let complete: (SocketAddress?) throws -> Void
    private var inbound = ByteBuffer()
    private var context: ChannelHandlerContext?
    private var hasEnded = false
    var deadline: NIODeadline?
    var registryIndex = 0

    init(
        clients: LoopClients,
        peer: SocketAddress?,
        complete: @escaping (SocketAddress?) throws -> Void
    ) {
        self.clients = clients
        self.loop = clients.loop
        self.peer = peer
        self.isTrusted = clients.loop.settings.trustedProxies.contains(peer)
        self.complete = complete
        self.deadline = clients.loop.now + clients.loop.settings.timeouts.head
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        guard self.clients.hasRoomForRefusal, !self.loop.isDraining else {
            return self.close()
        }
        self.clients.add(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.hasEnded else { return }
        var buffer = self.unwrapInboundIn(data)
        self.inbound.writeBuffer(&buffer)
        let inbound = self.inbound
        switch ProxyHeaderParser.parse(inbound.readableBytesUInt8Span) {
        case .incomplete:
            break
        case .complete where !self.isTrusted:
            self.refuse("a header from an address that is not in --trusted-proxies")
        case .complete(let header, let length):
            self.inbound.moveReaderIndex(forwardBy: length)
            switch header {
            case .own: self.goOn(as: self.peer, context: context)
            case .client(let address): self.goOn(as: address, context: context)
            }
        case .absent where self.isTrusted:
            self.refuse(ProxyHeaderFault.missing.rawValue)
        case .absent:
            self.goOn(as: self.peer, context: context)
        case .refused(let fault):
            self.refuse(fault.rawValue)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed, !self.hasEnded {
            // Port checks open and close connections without sending any data.
            guard self.inbound.readableBytes > 0 else { return self.close() }
            return self.refuse("the connection was closed in the middle of the header")
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.close()
    }

    /// Closes a connection whose header has not arrived in time.
    func deadlineReached() {
        self.refuse("the header did not arrive in time")
    }

    func close() {
        self.end()
        self.context?.close(promise: nil)
    }

    private func goOn(as client: SocketAddress?, context: ChannelHandlerContext) {
        self.end()
        do {
            try self.complete(client)
        } catch {
            return self.close()
        }
        context.fireChannelActive()
        let rest = self.inbound.slice()
        self.inbound = ByteBuffer()
        if rest.readableBytes > 0 { context.fireChannelRead(self.wrapInboundOut(rest)) }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func refuse(_ reason: String) {
        self.loop.refused(
            .proxyHeader,
            ["peer": "\(self.peer?.ipAddress ?? "unknown")", "reason": "\(reason)"]
        )
        self.close()
    }

    private func end() {
        guard !self.hasEnded else { return }
        self.hasEnded = true
        self.clients.remove(self)
    }
}

@available(*, unavailable)
extension ProxyHeaderHandler: Sendable {}
