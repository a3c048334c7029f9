import Glibc
import NIOCore

/// The output to a channel, written directly to the socket while the channel has no pending output.
///
/// In most cases, the kernel accepts a whole response at once. Passing such a response through
/// NIO's pipeline and write queue would cost as much as reading the request. If the kernel does not
/// accept everything, the rest and all further output go to NIO, which waits for the socket and
/// handles errors.
final class ChannelOutput {
    let context: ChannelHandlerContext
    /// The direct path to the socket, or `nil` if all output goes through the channel.
    private let bypass: SocketBypass?
    /// The bytes that were written but not flushed, if they are in a single buffer.
    private var unflushed: ByteBuffer?
    /// Whether the channel may have pending bytes, which must be sent before any others.
    private var usesChannel = false
    /// The small buffers to be written to the channel next, copied into a single buffer.
    ///
    /// A slice of one byte would retain the whole receive buffer.
    private var joined = ByteBuffer()
    /// Whether a callback will run once the channel has sent all its output.
    private var awaitsRoom = false
    /// The number of small buffers written to the channel since it was last found empty.
    private var smallPieces = 0
    /// The minimum size, in bytes, of a buffer that gets its own entry in the channel's queue.
    private static let smallest = 1024
    /// The number of small buffers that are written without checking whether the channel has
    /// pending output.
    private static let fewPieces = 16
    /// The size in bytes at which the joined buffer is written to the channel.
    private static let enough = 16 * 1024
    /// Whether a write failed because the peer has reset the connection.
    private(set) var wasReset = false

    /// Creates an output for the handler with this context.
    ///
    /// `bypassesChannel` indicates whether to write directly to the socket, which is not possible
    /// if another handler in the pipeline transforms the output.
    init(_ context: ChannelHandlerContext, bypassesChannel: Bool) {
        self.context = context
        self.bypass = bypassesChannel ? SocketBypass(context.channel) : nil
    }

    /// Reads more input; must be called once all available input has been read.
    func readNext() {
        self.bypass?.readNext()
    }

    /// Whether the kernel has accepted all output.
    var isEmpty: Bool {
        self.unflushed == nil && self.joined.readableBytes == 0 && self.isChannelEmpty
    }

    private var isChannelEmpty: Bool { self.waitingInChannel == 0 }

    /// The number of pending bytes in the channel, or `nil` if the channel is closed.
    private var waitingInChannel: Int? {
        try? self.context.channel.syncOptions?.getOption(.bufferedWritableBytes)
    }

    /// The number of bytes that the peer has not received: those pending in this process and in the kernel.
    ///
    /// The kernel must be queried, because it reports a socket as writable only once much of the
    /// send buffer is free.
    var untaken: Int {
        let pipeline = self.context.pipeline.syncOperations
        let held = try? pipeline.withUnsafeTransportIfAvailable(of: CInt.self) { socket in
            var count: CInt = 0
            // `SIOCOUTQ` of tcp(7) is the number of bytes that the peer has not acknowledged.
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

    /// Writes and flushes a buffer.
    ///
    /// Afterwards, the kernel or the channel has the content, so the buffer's memory can be reused.
    func writeAndFlush(_ buffer: inout ByteBuffer) {
        self.leaveToChannel()
        if let bypass = self.bypass, self.mayPassChannel {
            if bypass.send(&buffer) { self.wasReset = true }
            guard buffer.readableBytes > 0 else { return }
        }
        self.enqueue(buffer)
        self.flushChannel()
    }

    /// Writes a buffer to the channel, or adds it to the joined buffer.
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

    /// Whether the channel has enough pending output for a small buffer to be joined with other small buffers.
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

    /// Calls `done` once the kernel has accepted all output, or once that has become impossible.
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

    /// Closes the write side of the connection after all output has been sent.
    func end() {
        self.flush()
        self.leaveJoined()
        self.context.flush()
        self.context.close(mode: .output, promise: nil)
    }

    /// Makes the next close reset the connection.
    ///
    /// With TLS, this closes the channel, bypassing the handler of type `TLS`, which would send a close notification.
    func prepareReset<TLS: ChannelHandler>(below _: TLS.Type) {
        let socket = self.context.channel as? any SocketOptionProvider
        _ = socket?.setSoLinger(Glibc.linger(l_onoff: 1, l_linger: 0))
        let tls = try? self.context.pipeline.syncOperations.context(handlerType: TLS.self)
        tls?.close(promise: nil)
    }

    /// Passes the unflushed buffer to the channel, which writes several buffers together.
    private func leaveToChannel() {
        guard let buffer = self.unflushed.take() else { return }
        self.enqueue(buffer)
    }

    private var mayPassChannel: Bool {
        if self.usesChannel, self.isEmpty { self.usesChannel = false }
        return !self.usesChannel
    }
}

/// The settings for reads from the socket.
extension ChannelOutput {
    /// Makes all further reads use large buffers.
    ///
    /// Each read costs a system call, a write, and a partly filled segment, which both the gate's
    /// and the receiver's kernel must process.
    func useLargeReads(_ buffers: LargeBuffers) {
        let buffers = NIOLoopBound(buffers, eventLoop: self.context.eventLoop)
        let allocator = LargeReadAllocator(buffers, expectsLargeReads: true)
        let options = self.context.channel.syncOptions
        try? options?.setOption(.recvAllocator, value: allocator)
        // The channel keeps a separate buffer for each read in an event-loop tick.
        try? options?.setOption(.maxMessagesPerRead, value: 1)
    }

    /// Restores the read settings of a new channel.
    func useDefaultReads() {
        let options = self.context.channel.syncOptions
        try? options?.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator())
        try? options?.setOption(.maxMessagesPerRead, value: Self.defaultReadsPerTick)
    }

    /// NIO's default number of reads per tick.
    private static let defaultReadsPerTick: UInt = 4
}

@available(*, unavailable)
extension ChannelOutput: Sendable {}
