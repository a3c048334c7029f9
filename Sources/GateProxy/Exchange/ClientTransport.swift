import Glibc
import NIOCore
internal import NIOSSL

/// What carries the bytes of a `ClientConnection`: a connection, or a stream of one.
enum ClientTransport {
    /// Nothing any more, or not yet.
    case none
    case channel(ChannelHandlerContext)
    case stream(HTTP2Stream)

    @inline(__always)
    var isWritable: Bool {
        switch self {
        case .channel(let context): context.channel.isWritable
        case .stream(let stream): stream.isWritable
        case .none: false
        }
    }

    /// Takes more from the client.
    func read() {
        switch self {
        case .channel(let context): context.read()
        case .stream(let stream): stream.makeRoom()
        case .none: break
        }
    }

    @inline(__always)
    func write(_ buffer: ByteBuffer) {
        switch self {
        case .channel(let context): context.write(NIOAny(buffer), promise: nil)
        case .stream(let stream): stream.write(buffer)
        case .none: break
        }
    }

    @inline(__always)
    func flush() {
        switch self {
        case .channel(let context): context.flush()
        case .stream(let stream): stream.connection.flush()
        case .none: break
        }
    }

    @inline(__always)
    func writeAndFlush(_ buffer: ByteBuffer) {
        switch self {
        case .channel(let context): context.writeAndFlush(NIOAny(buffer), promise: nil)
        case .stream(let stream):
            stream.write(buffer)
            stream.connection.flush()
        case .none: break
        }
    }

    /// Calls back when all that was written is with the kernel, or the client is gone.
    func whenWritten(_ done: @escaping () -> Void) {
        switch self {
        case .channel(let context):
            let written = context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(NIOAny(ByteBuffer()), promise: written)
            written.futureResult.assumeIsolated().whenComplete { _ in done() }
        case .stream(let stream): stream.whenAllWritten(done)
        case .none: done()
        }
    }

    func closeOutput() {
        switch self {
        case .channel(let context): context.close(mode: .output, promise: nil)
        case .stream(let stream): stream.closeOutput()
        case .none: break
        }
    }

    func close() {
        switch self {
        case .channel(let context): context.close(promise: nil)
        case .stream(let stream): stream.close()
        case .none: break
        }
    }

    /// Makes the close that follows look like none in order.
    func prepareReset() {
        // The close of a stream before its end always is a reset.
        guard case .channel(let context) = self else { return }
        let socket = context.channel as? any SocketOptionProvider
        _ = socket?.setSoLinger(Glibc.linger(l_onoff: 1, l_linger: 0))
        // TLS would first say that this is the end.
        let tls = try? context.pipeline.syncOperations.context(
            handlerType: NIOSSLServerHandler.self
        )
        tls?.close(promise: nil)
    }
}
