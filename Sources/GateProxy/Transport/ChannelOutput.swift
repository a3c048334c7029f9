import Glibc
import NIOCore

/// The way out through a channel: past it, straight to the socket, as long as nothing waits in it.
///
/// Nearly always the kernel takes an answer at once and whole. NIO's way there, through its pipeline
/// and its queue, then costs as much as reading the request. What the kernel does not take, and
/// whatever follows it, goes to NIO, which waits for the socket and knows what an error means.
final class ChannelOutput {
    typealias Socket = NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>

    let context: ChannelHandlerContext
    /// `nil`: everything goes through the channel.
    ///
    /// Kept, because to ask for it each time, as NIO recommends, costs more than is saved. It still
    /// says so when the descriptor is closed.
    private let socket: (any Socket)?
    /// What was written and not yet flushed, if it is one piece.
    private var unflushed: ByteBuffer?
    /// Whether there may be bytes in the channel, which come first.
    private var usesChannel = false
    /// Whether a reset was met in sending.
    ///
    /// The kernel tells it once: whoever reads then meets an end.
    private(set) var wasReset = false

    /// `reachesSocket`: whether no handler stands behind this one that changes what is written.
    init(_ context: ChannelHandlerContext, reachesSocket: Bool) {
        self.context = context
        self.socket = reachesSocket ? context.channel._channelCore as? any Socket : nil
    }

    /// Whether the kernel has all that was written.
    var isEmpty: Bool {
        guard self.unflushed == nil else { return false }
        let waiting = try? self.context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        return waiting == 0
    }

    func write(_ buffer: ByteBuffer) {
        if self.socket != nil, self.unflushed == nil {
            self.unflushed = buffer
        } else {
            self.leaveToChannel()
            self.context.write(NIOAny(buffer), promise: nil)
            self.usesChannel = true
        }
    }

    func flush() {
        if let buffer = self.unflushed.take() {
            self.writeAndFlush(buffer)
        } else if self.usesChannel {
            self.context.flush()
        }
    }

    func writeAndFlush(_ buffer: ByteBuffer) {
        self.leaveToChannel()
        var rest = buffer
        if self.mayPassChannel {
            self.send(&rest)
            guard rest.readableBytes > 0 else { return }
        }
        self.usesChannel = true
        self.context.writeAndFlush(NIOAny(rest), promise: nil)
    }

    /// Calls back when all that was written is with the kernel, or will never be.
    func whenWritten(_ done: @escaping () -> Void) {
        self.leaveToChannel()
        let written = self.context.eventLoop.makePromise(of: Void.self)
        self.context.writeAndFlush(NIOAny(ByteBuffer()), promise: written)
        written.futureResult.assumeIsolated().whenComplete { _ in done() }
    }

    /// Nothing more will be written.
    func end() {
        self.flush()
        self.context.close(mode: .output, promise: nil)
    }

    /// More than one piece is written together, by the channel.
    private func leaveToChannel() {
        guard let buffer = self.unflushed.take() else { return }
        self.usesChannel = true
        self.context.write(NIOAny(buffer), promise: nil)
    }

    private var mayPassChannel: Bool {
        guard self.socket != nil else { return false }
        if self.usesChannel, self.isEmpty { self.usesChannel = false }
        return !self.usesChannel
    }

    /// Sends what the kernel takes at once; an error is left for the channel to meet.
    private func send(_ buffer: inout ByteBuffer) {
        let count = try? self.socket?.withUnsafeTransport { descriptor in
            let count = unsafe buffer.withUnsafeReadableBytes { bytes in
                unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Self.flags)
            }
            if count < 0, errno == ECONNRESET { self.wasReset = true }
            return count
        }
        guard let count, count > 0 else { return }
        buffer.moveReaderIndex(forwardBy: count)
    }

    /// A closed peer is an error, and no signal.
    private static let flags = CInt(MSG_NOSIGNAL)
}

@available(*, unavailable)
extension ChannelOutput: Sendable {}
