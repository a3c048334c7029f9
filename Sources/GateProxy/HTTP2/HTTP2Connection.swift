import NIOCore
internal import NIOSSL

/// One HTTP/2 connection of a client (RFC 9113): reads its frames, keeps its streams, and writes
/// what they answer.
final class HTTP2Connection: ChannelInboundHandler, ChannelOutboundHandler, Overdue {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Stage {
        /// The first bytes of the client are still to come (RFC 9113 3.4).
        case preface
        case settings
        case open
        /// Told to open no more streams than it has (RFC 9113 6.8).
        case draining
        /// Told that it is over; whatever it still sends is thrown away.
        case closing
    }

    let worker: Worker
    let origin: ClientOrigin
    var context: ChannelHandlerContext?
    var deadline: NIODeadline?
    var registryIndex = 0
    var stage = Stage.preface

    var inbound = ByteBuffer()
    var decoder = HPACKDecoder()
    var fields = HeaderList()
    var headerBlock: HTTP2HeaderBlock?
    var peer = HTTP2PeerSettings()

    var streams: [UInt32: HTTP2Stream] = [:]
    /// The highest stream that the client has opened.
    var lastStream: UInt32 = 0
    /// The highest stream that will be served, once the client has been told which it is; what the
    /// client opens beyond it is its to send elsewhere (RFC 9113 6.8).
    private(set) var lastServedStream: UInt32?
    /// Streams that are over and were not yet let go of.
    private var over: [HTTP2Stream] = []
    /// Streams that wait to serve another request.
    private var idle: [HTTP2Stream] = []
    /// Streams that were answered while the client was still sending.
    private var lingering: Set<UInt32> = []
    /// Streams that the gate has reset and for which the client may have sent more meanwhile.
    private var resetStreams = CircularBuffer<UInt32>()

    /// Frames that were not yet handed to the channel.
    var outbound = ByteBuffer()
    /// How much of all bodies together the client takes.
    var sendWindow = 65_535
    /// Streams with something to send, in the order of their turns.
    var waiting = CircularBuffer<HTTP2Stream>()
    private var receiveWindow = HTTP2OwnSettings.connectionWindow
    /// Bytes of bodies for which the client has got no new room.
    private var uncredited = 0
    /// Whether a header block has told the client that its table is not used.
    var hasWrittenBlock = false

    /// Resets of streams against requests that were answered.
    var resets = FloodBudget(capacity: 200, perSecond: 20)
    /// Frames that carry nothing against those that do.
    var control = FloodBudget(capacity: 1000, perSecond: 100)

    private var isReading = false
    private var isFlushScheduled = false
    private var hasHeldRead = false
    private var inputClosed = false

    /// Streams that a client may have at the same time.
    static let maxStreams = 100

    init(worker: Worker, origin: ClientOrigin) {
        self.worker = worker
        self.origin = origin
    }

    var isWritable: Bool {
        self.context?.channel.isWritable ?? false
    }

    var isClosing: Bool {
        if case .closing = self.stage { return true }
        return false
    }
}

extension HTTP2Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.deadline = self.worker.now + self.worker.settings.timeouts.head
        self.worker.add(self)
        HTTP2OwnSettings.write(
            maxStreams: Self.maxStreams,
            maxHeaderListSize: self.worker.settings.headLimits.bytes,
            into: &self.outbound
        )
        self.flush()
        if self.worker.isDraining { self.drain(grace: self.worker.drainGrace) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func read(context: ChannelHandlerContext) {
        // A client that does not read what it is sent may not make more of it.
        if context.channel.isWritable {
            context.read()
        } else {
            self.hasHeldRead = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.received(self.unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.receivedAll()
        context.fireChannelReadComplete()
    }

    /// Everything that was there to be received was.
    func receivedAll() {
        self.isReading = false
        self.settle()
        self.flushNow()
    }

    /// Takes bytes of the client; `receivedAll` follows.
    func received(_ bytes: ByteBuffer) {
        guard !self.isClosing else { return }
        var bytes = bytes
        self.isReading = true
        if self.inbound.readableBytes == 0 {
            self.inbound = bytes
        } else {
            self.inbound.discardReadBytes()
            self.inbound.writeBuffer(&bytes)
        }
        do throws(HTTP2ErrorCode) {
            try self.readFrames()
        } catch {
            self.fail(error)
        }
        // Empty, it would still hold on to the memory that the next read wants to use.
        if self.inbound.readableBytes == 0 || self.isClosing { self.inbound = ByteBuffer() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        self.pump()
        for stream in Array(self.streams.values) where !stream.isOver {
            stream.client.becameWritable()
        }
        self.settle()
        self.flushNow()
        guard self.hasHeldRead, context.channel.isWritable else { return }
        self.hasHeldRead = false
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        self.inputClosed = true
        if self.streams.isEmpty || self.isClosing { self.closeWhenWritten() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.endAll()
        self.worker.remove(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Frames tell their own length; the end itself is heard of next.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        context.close(promise: nil)
    }
}

/// The streams and their ends.
extension HTTP2Connection {
    /// A stream for another request.
    func takeStream() -> HTTP2Stream {
        self.idle.popLast() ?? HTTP2Stream(connection: self)
    }

    /// Nothing more is sent or received on a stream.
    func isOver(_ stream: HTTP2Stream) {
        self.over.append(stream)
        self.flush()
    }

    /// Lets go of the streams that are over; not while one of them is at work.
    func settle() {
        guard !self.over.isEmpty else { return }
        while let stream = self.over.popLast() {
            self.streams[stream.id] = nil
            if stream.isWaiting {
                self.waiting.removeAll { $0 === stream }
                stream.isWaiting = false
            }
            if stream.client.leaveStream(), self.idle.count < Self.maxStreams {
                self.idle.append(stream)
            } else {
                stream.client.gone()
                stream.client.transport = .none
            }
        }
        self.becomeIdleIfEmpty()
    }

    private func becomeIdleIfEmpty() {
        guard self.streams.isEmpty, !self.isClosing else { return }
        self.deadline = self.worker.now + self.worker.settings.timeouts.idle
        if case .draining = self.stage { return self.fail(.noError) }
        if self.inputClosed { self.closeWhenWritten() }
    }

    private func endAll() {
        for stream in Array(self.streams.values) { stream.end() }
        self.settle()
        for stream in self.idle { stream.client.transport = .none }
        self.idle = []
        self.waiting = []
    }

    func writeReset(_ stream: UInt32, _ code: HTTP2ErrorCode) {
        self.outbound.writeResetStream(stream, code)
        self.resetStreams.append(stream)
        if self.resetStreams.count > 2 * Self.maxStreams { self.resetStreams.removeFirst() }
    }

    /// Whether frames of a stream that is over may have crossed the gate's answer or reset.
    ///
    /// `endsStream`: whether it is the client's last one.
    func passesOver(_ stream: UInt32, endsStream: Bool) -> Bool {
        if let last = self.lastServedStream, stream > last { return true }
        guard self.lingering.contains(stream) else { return self.resetStreams.contains(stream) }
        if endsStream { self.lingering.remove(stream) }
        return true
    }

    /// Tells the client that it need not send the rest of what was answered already (RFC 9113 8.1).
    ///
    /// It has a moment to read the answer first: curl 7.88 takes the reset of a stream on which it
    /// is writing for a failure, whatever it has received. Without more room it soon stops writing.
    func linger(_ stream: UInt32) {
        guard let context = self.context else { return }
        self.lingering.insert(stream)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.lingerTime) {
            guard self.lingering.remove(stream) != nil, !self.isClosing else { return }
            self.writeReset(stream, .noError)
            self.flush()
        }
    }

    private static let lingerTime = TimeAmount.milliseconds(250)

    /// Ends a stream because of something that the client did.
    ///
    /// It counts like a reset of the client: one can be made to bring about the other.
    func refuse(_ stream: UInt32, _ code: HTTP2ErrorCode) throws(HTTP2ErrorCode) {
        // To refuse one that is too many costs little, and a client may not know yet how many are.
        let isCalm =
            code == .refusedStream
            ? self.control.charge(at: self.worker.now) : self.resets.charge(at: self.worker.now)
        guard isCalm else { throw .enhanceYourCalm }
        if let open = self.streams[stream], !open.isOver {
            open.reset(code)
        } else {
            self.writeReset(stream, code)
        }
    }

    /// Bytes of a body came in.
    func countReceived(_ count: Int) throws(HTTP2ErrorCode) {
        self.receiveWindow -= count
        guard self.receiveWindow >= 0 else { throw .flowControlError }
    }

    /// Bytes of a body are gone, and others may come.
    func credit(_ count: Int) {
        self.uncredited += count
        guard self.uncredited >= HTTP2OwnSettings.connectionWindow / 2, !self.isClosing else {
            return
        }
        self.outbound.writeWindowUpdate(0, increment: self.uncredited)
        self.receiveWindow += self.uncredited
        self.uncredited = 0
        self.flush()
    }

    func writeWindowUpdate(_ stream: UInt32, increment: Int) {
        self.outbound.writeWindowUpdate(stream, increment: increment)
        self.flush()
    }
}

/// The end of the connection.
extension HTTP2Connection {
    /// Tells the client why it is over, and closes.
    func fail(_ code: HTTP2ErrorCode) {
        guard !self.isClosing else { return }
        self.stage = .closing
        self.headerBlock = nil
        self.endAll()
        self.outbound.writeGoAway(last: self.lastServedStream ?? self.lastStream, code)
        self.deadline = self.worker.now + self.worker.settings.timeouts.linger
        self.flushNow()
        guard let context = self.context else { return }
        // Closed altogether with bytes unread, the client would lose what it was told.
        guard !self.inputClosed else { return self.closeWhenWritten() }
        context.close(mode: .output, promise: nil)
    }

    /// Closes as soon as the client, who says no more, has taken everything.
    private func closeWhenWritten() {
        guard let context = self.context else { return }
        self.stage = .closing
        self.deadline = self.worker.now + self.worker.settings.timeouts.response
        self.flushNow()
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer()), promise: written)
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.context?.close(promise: nil)
        }
    }

    /// The gate is about to stop.
    ///
    /// `grace`: how long requests that are on their way are still taken (RFC 9113 6.8).
    func drain(grace: TimeAmount) {
        switch self.stage {
        case .preface where grace > .zero, .settings where grace > .zero, .open where grace > .zero:
            self.outbound.writeGoAway(last: Self.noLastStream, .noError)
            self.flush()
            self.context?.eventLoop.assumeIsolated().scheduleTask(in: grace) {
                self.drain(grace: .zero)
            }
        case .preface, .settings: self.fail(.noError)
        case .open where self.streams.isEmpty: self.fail(.noError)
        case .open:
            self.stage = .draining
            self.lastServedStream = self.lastStream
            self.outbound.writeGoAway(last: self.lastStream, .noError)
            self.flush()
        case .draining, .closing: break
        }
    }

    /// Announces an end without saying yet which stream is the last.
    private static let noLastStream = UInt32(Int32.max)

    func deadlineReached() {
        switch self.stage {
        case .closing: self.abort()
        case .preface, .settings, .open, .draining: self.fail(.noError)
        }
    }

    func abort() {
        self.stage = .closing
        self.context?.close(promise: nil)
    }
}

/// The way to the channel.
extension HTTP2Connection {
    static let flushSize = 64 * 1024

    /// Hands what is ready to the channel before the loop turns to other things: answers that
    /// become ready together go out together.
    func flush() {
        guard !self.isReading, !self.isFlushScheduled, let context = self.context else { return }
        self.isFlushScheduled = true
        context.eventLoop.assumeIsolated().execute {
            self.isFlushScheduled = false
            self.settle()
            self.flushNow()
        }
    }

    func flushNow() {
        guard self.outbound.readableBytes > 0, let context = self.context else { return }
        // Taken first: the channel may say at once that it has room again, and more be written.
        var bytes = self.outbound
        self.outbound = ByteBuffer()
        context.writeAndFlush(self.wrapOutboundOut(bytes), promise: nil)
        guard self.outbound.readableBytes == 0, bytes.capacity <= 2 * Self.flushSize else { return }
        // The same memory serves again if the kernel has taken everything.
        bytes.clear()
        self.outbound = bytes
    }
}

@available(*, unavailable)
extension HTTP2Connection: Sendable {}
