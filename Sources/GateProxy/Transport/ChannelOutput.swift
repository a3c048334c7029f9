import Glibc
import NIOCore

/// The way out through a channel: past it, straight to the socket, as long as nothing waits in it.
///
/// Nearly always the kernel takes an answer at once and whole. NIO's way there, through its pipeline
/// and its queue, then costs as much as reading the request. What the kernel does not take, and
/// whatever follows it, goes to NIO, which waits for the socket and knows what an error means.
final class ChannelOutput {
    let context: ChannelHandlerContext
    /// `nil`: everything goes through the channel.
    private let bypass: SocketBypass?
    /// The bytes that were written and not yet flushed, if they are one piece.
    private var unflushed: ByteBuffer?
    /// Whether there may be bytes in the channel, which come first.
    private var usesChannel = false
    /// Small pieces behind those that the channel holds, in memory of their own: a slice of one byte
    /// keeps the whole buffer that it was read into.
    private var joined = ByteBuffer()
    /// Whether the channel calls back when it has sent what it holds.
    private var awaitsRoom = false
    /// Small pieces that were left to the channel since it was last seen empty.
    private var smallPieces = 0
    /// A piece of so many bytes is worth a place of its own in the channel's queue.
    private static let smallest = 1024
    /// So many small pieces are left to the channel without a look whether it holds others.
    private static let fewPieces = 16
    /// Joined pieces of so many bytes are one that is not small.
    private static let enough = 16 * 1024
    /// Whether a reset was met in sending.
    private(set) var wasReset = false

    /// - Parameters:
    ///   - context: The context of the handler that writes.
    ///   - bypassesChannel: Whether what the kernel takes at once goes past the channel; not where a handler behind
    ///     this one changes what is written.
    init(_ context: ChannelHandlerContext, bypassesChannel: Bool) {
        self.context = context
        self.bypass = bypassesChannel ? SocketBypass(context.channel) : nil
    }

    /// Reads on, when all that was there was read.
    func readNext() {
        self.bypass?.readNext()
    }

    /// Whether the kernel has all that was written.
    var isEmpty: Bool {
        self.unflushed == nil && self.joined.readableBytes == 0 && self.isChannelEmpty
    }

    private var isChannelEmpty: Bool { self.waitingInChannel == 0 }

    /// `nil`: the channel is closed.
    private var waitingInChannel: Int? {
        try? self.context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    }

    /// Bytes that the peer has not taken: those that wait here, and those that the kernel holds.
    ///
    /// Asks the kernel, which says that there is room only when there is much of it.
    var untaken: Int {
        let pipeline = self.context.pipeline.syncOperations
        let held = try? pipeline.withUnsafeTransportIfAvailable(of: CInt.self) { socket in
            var count: CInt = 0
            // `SIOCOUTQ` of tcp(7): what was not acknowledged.
            return unsafe ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
        }
        let own = (self.unflushed?.readableBytes ?? 0) + self.joined.readableBytes
        return own + (self.waitingInChannel ?? 0) + (held ?? 0)
    }

    func write(_ buffer: ByteBuffer) {
        if self.bypass != nil, self.unflushed == nil {
            self.unflushed = buffer
        } else {
            self.leaveToChannel()
            self.enqueue(buffer)
        }
    }

    func flush() {
        if var buffer = self.unflushed.take() {
            self.writeAndFlush(&buffer)
        } else if self.usesChannel {
            self.flushChannel()
        }
    }

    /// Afterwards `buffer` is of no use but for its memory: what the kernel did not take, the channel has.
    func writeAndFlush(_ buffer: inout ByteBuffer) {
        self.leaveToChannel()
        if let bypass = self.bypass, self.mayPassChannel {
            if bypass.send(&buffer) { self.wasReset = true }
            guard buffer.readableBytes > 0 else { return }
        }
        self.enqueue(buffer)
        self.flushChannel()
    }

    /// Leaves a piece to the channel, or joins it to the small ones that wait behind it.
    private func enqueue(_ buffer: ByteBuffer) {
        self.usesChannel = true
        guard buffer.readableBytes < Self.smallest, self.holdsOthers else {
            self.leaveJoined()
            self.context.write(NIOAny(buffer), promise: nil)
            return
        }
        self.joined.writeImmutableBuffer(buffer)
        if self.joined.readableBytes >= Self.enough { self.leaveJoined() }
    }

    /// Whether the channel holds so much that a small piece can wait for it.
    private var holdsOthers: Bool {
        if self.joined.readableBytes > 0 { return true }
        self.smallPieces += 1
        guard self.smallPieces > Self.fewPieces else { return false }
        guard self.isChannelEmpty else { return true }
        self.smallPieces = 0
        return false
    }

    private func leaveJoined() {
        guard self.joined.readableBytes > 0 else { return }
        self.context.write(NIOAny(self.joined), promise: nil)
        self.joined = ByteBuffer()
    }

    private func flushChannel() {
        self.context.flush()
        guard self.joined.readableBytes > 0, !self.awaitsRoom else { return }
        self.awaitsRoom = true
        self.whenSent {
            self.awaitsRoom = false
            self.leaveJoined()
            self.context.flush()
        }
    }

    /// Calls back when all that was written is with the kernel, or will never be.
    func whenWritten(_ done: @escaping () -> Void) {
        self.leaveToChannel()
        self.leaveJoined()
        self.whenSent(done)
    }

    private func whenSent(_ done: @escaping () -> Void) {
        let written = self.context.eventLoop.makePromise(of: Void.self)
        self.context.writeAndFlush(NIOAny(ByteBuffer()), promise: written)
        written.futureResult.assumeIsolated().whenComplete { _ in done() }
    }

    /// Nothing more will be written.
    func end() {
        self.flush()
        self.leaveJoined()
        self.context.flush()
        self.context.close(mode: .output, promise: nil)
    }

    /// Makes the close that follows a reset.
    ///
    /// `below`: the handler of TLS, which would first say that this is the end.
    func prepareReset<TLS: ChannelHandler>(below _: TLS.Type) {
        let socket = self.context.channel as? any SocketOptionProvider
        _ = socket?.setSoLinger(Glibc.linger(l_onoff: 1, l_linger: 0))
        let tls = try? self.context.pipeline.syncOperations.context(handlerType: TLS.self)
        tls?.close(promise: nil)
    }

    /// More than one piece is written together, by the channel.
    private func leaveToChannel() {
        guard let buffer = self.unflushed.take() else { return }
        self.enqueue(buffer)
    }

    private var mayPassChannel: Bool {
        if self.usesChannel, self.isEmpty { self.usesChannel = false }
        return !self.usesChannel
    }
}

@available(*, unavailable)
extension ChannelOutput: Sendable {}
