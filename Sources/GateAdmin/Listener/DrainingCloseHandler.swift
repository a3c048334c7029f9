internal import NIOCore

/// Closes a connection so that the client can read the last response (RFC 9112 section 9.6).
///
/// If a socket is closed with unread input, the kernel resets the connection and the client loses
/// unread data. A client that sends a large request before it reads would then never see the error
/// response. This handler closes the write side first, and discards input until the client closes
/// its side.
final class DrainingCloseHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The number of bytes that may still be discarded; `nil` before the connection is closed.
    private var left: Int?
    private var isInputClosed = false

    /// Closes the write side of a connection, and the whole connection once the client closes its
    /// side or has sent more than `limit` bytes.
    func close(_ channel: any Channel, discarding limit: Int) {
        guard self.left == nil else { return }
        self.left = limit
        guard !self.isInputClosed else { return channel.close(promise: nil) }
        channel.close(mode: .output).assumeIsolated().whenFailure { _ in
            channel.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let left = self.left else { return context.fireChannelRead(data) }
        let rest = left - self.unwrapInboundIn(data).readableBytes
        self.left = rest
        if rest < 0 { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            self.isInputClosed = true
            guard self.left == nil else { return context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }
}

@available(*, unavailable)
extension DrainingCloseHandler: Sendable {}
