import NIOCore

/// What carries the bytes of an `UpstreamConnection`: a connection, or a stream of one.
enum UpstreamTransport {
    /// Nothing any more, or not yet.
    case none
    case channel(ChannelHandlerContext)
    case stream(UpstreamHTTP2Stream)

    @inline(__always)
    var isActive: Bool {
        switch self {
        case .channel(let context): context.channel.isActive
        case .stream(let stream): stream.isOpen
        case .none: false
        }
    }

    @inline(__always)
    var isWritable: Bool {
        switch self {
        case .channel(let context): context.channel.isWritable
        case .stream(let stream): stream.isWritable
        case .none: false
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

    /// Calls back when all that was written is with the kernel, or will never be.
    func whenWritten(_ done: @escaping () -> Void) {
        switch self {
        case .channel(let context):
            let written = context.eventLoop.makePromise(of: Void.self)
            context.writeAndFlush(NIOAny(ByteBuffer()), promise: written)
            written.futureResult.assumeIsolated().whenComplete { _ in done() }
        // What waits for this is about to give the stream up.
        case .stream, .none: done()
        }
    }

    func endWriting() {
        switch self {
        case .channel(let context): context.close(mode: .output, promise: nil)
        // Only tunnels end so, and HTTP/2 has none.
        case .stream, .none: break
        }
    }

    func close() {
        switch self {
        case .channel(let context): context.close(promise: nil)
        case .stream(let stream): stream.cancel()
        case .none: break
        }
    }
}
