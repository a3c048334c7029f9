import NIOCore
internal import NIOSSL

/// One HTTP/2 connection to the backend, on which many requests go at the same time (RFC 9113).
final class UpstreamHTTP2Connection: ChannelInboundHandler, Overdue {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Stage {
        /// The backend has yet to say that it speaks HTTP/2.
        case opening(EventLoopPromise<Void>)
        case open
        /// Told that it is over; whatever still comes is thrown away.
        case closing
    }

    /// Why the connection cannot be used.
    enum Failure: Error, CustomStringConvertible {
        case speaksNoHTTP2
        case takesNoRequests

        var description: String {
            switch self {
            case .speaksNoHTTP2: "the backend does not speak HTTP/2"
            case .takesNoRequests: "the backend takes no requests"
            }
        }
    }

    let eventLoop: any EventLoop
    let isSecure: Bool
    let limits: HeadLimits
    /// Where it leads.
    var member: UpstreamPool.Member?
    var deadline: NIODeadline?
    var registryIndex = 0
    var stage: Stage
    private var context: ChannelHandlerContext?

    var inbound = ByteBuffer()
    var decoder = HPACKDecoder()
    var fields = HeaderList()
    var headerBlock: HTTP2HeaderBlock?
    var peer = HTTP2PeerSettings()
    var receiveWindow = HTTP2ReceiveWindow(size: HTTP2OwnSettings.connectionWindow)
    /// Frames that carry nothing against those that do.
    var control = FloodBudget(capacity: 1000, perSecond: 100)

    var budget = UpstreamStreamBudget()
    var streams: [UInt32: UpstreamHTTP2Stream] = [:]
    /// Streams that are over and were not yet let go of.
    private var over: [UpstreamHTTP2Stream] = []
    /// Streams that can serve another exchange.
    private var spare: [UpstreamHTTP2Stream] = []
    /// Streams whose exchange is over, and whose last frame is still to come.
    var lingeringCount = 0
    /// Whether an exchange was completed on it.
    var hasServed = false
    private(set) var lastReceived = NIODeadline.now()

    var requestParser: RequestHeadParser
    /// Frames that were not yet handed to the channel.
    var outbound = ByteBuffer()
    /// How much of all bodies together the backend takes.
    var sendWindow = 65_535
    /// Streams with something to send, in the order of their turns.
    var waiting = CircularBuffer<UpstreamHTTP2Stream>()
    /// Whether a header block has told the backend that its table is not used.
    var hasWrittenBlock = false
    private var scratch = ByteBuffer()
    /// Clients for whom something has come, in the order in which it came.
    private var unflushed: [ClientConnection] = []
    private var isReading = false
    private var isFlushScheduled = false

    /// How long it may be of no use before it is closed.
    ///
    /// A backend that closes it first says so (GOAWAY), so that no request is lost.
    static let idleTime = TimeAmount.seconds(30)
    /// A connection on which nothing was heard for so long while a request waited may be dead.
    private static let suspiciousSilence = TimeAmount.seconds(5)
    static let flushSize = 64 * 1024

    /// `whenReady`: told when the backend has said that it speaks HTTP/2, or that it does not.
    init(
        eventLoop: any EventLoop,
        isSecure: Bool,
        limits: HeadLimits,
        whenReady: EventLoopPromise<Void>
    ) {
        self.eventLoop = eventLoop
        self.isSecure = isSecure
        self.limits = limits
        self.stage = .opening(whenReady)
        self.requestParser = RequestHeadParser(limits: limits.withGateFields)
    }

    /// What was read here is read once more, with what HTTP/1.1 needs beside it.
    var responseLimits: HeadLimits { self.limits.withGateFields }

    var isOpen: Bool {
        if case .open = self.stage { return true }
        return false
    }

    var isClosing: Bool {
        if case .closing = self.stage { return true }
        return false
    }

    var isWritable: Bool { self.context?.channel.isWritable ?? false }

    /// Whether it takes another request.
    var hasRoom: Bool { self.isOpen && self.budget.hasRoom }
}

extension HeadLimits {
    /// Behind the fields of others come those of the gate.
    fileprivate var withGateFields: HeadLimits {
        HeadLimits(
            bytes: self.bytes + 16 * 1024,
            fields: self.fields + 64,
            target: self.target + 16
        )
    }
}

extension UpstreamHTTP2Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.outbound.writeStaticString(HTTP2Connection.preface)
        HTTP2OwnSettings.writeForBackend(
            maxHeaderListSize: self.limits.bytes,
            into: &self.outbound
        )
        self.flushNow()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isClosing else { return }
        var bytes = self.unwrapInboundIn(data)
        self.lastReceived = .now()
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

    func channelReadComplete(context: ChannelHandlerContext) {
        self.isReading = false
        self.settle()
        self.flushNow()
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard context.channel.isWritable else { return }
        self.pump()
        for stream in Array(self.streams.values) where stream.isWritable {
            stream.upstream.client?.resumeReading()
        }
        self.settle()
        self.flushNow()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end(.eof)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Frames tell their own length; the end itself is heard of next.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        context.close(promise: nil)
    }
}

/// The streams and their ends.
extension UpstreamHTTP2Connection {
    /// A stream for another exchange.
    func takeStream() -> UpstreamConnection {
        self.budget.reserve()
        self.deadline = nil
        let stream = self.spare.popLast() ?? UpstreamHTTP2Stream(connection: self)
        stream.prepare()
        stream.upstream.member = self.member
        return stream.upstream
    }

    /// Nothing more is sent or received on a stream.
    func isOver(_ stream: UpstreamHTTP2Stream) {
        if stream.id != 0 { self.streams[stream.id] = nil }
        self.budget.release()
        self.over.append(stream)
        self.flush()
    }

    /// Lets go of the streams that are over; not while one of them is at work.
    func settle() {
        self.flushClients()
        guard !self.over.isEmpty else { return }
        while let stream = self.over.popLast() {
            if stream.isReusable, self.isOpen, !stream.isWaiting {
                self.spare.append(stream)
            } else {
                stream.upstream.transport = .none
            }
        }
        self.member?.roomWasMade()
        self.becomeIdleIfUnused()
    }

    private func becomeIdleIfUnused() {
        guard self.budget.isUnused, self.isOpen else { return }
        if self.budget.isRetired || self.member?.serves == false {
            self.shutDown()
        } else {
            self.deadline = .now() + Self.idleTime
        }
    }

    /// A request got no answer in time; on a connection that is dead, others would get none either.
    func suspect(since began: NIODeadline) {
        let silence = NIODeadline.now() - Swift.max(began, self.lastReceived)
        if silence >= Self.suspiciousSilence { self.budget.retire() }
    }

    /// Opens no more streams and closes when the last one is over.
    func retire() {
        self.budget.retire()
        self.becomeIdleIfUnused()
    }

    /// Gives up streams whose last frame does not come, and the connection if nobody needs it.
    func closeOverdue(at now: NIODeadline) {
        if let deadline = self.deadline, deadline <= now { return self.shutDown() }
        guard self.lingeringCount > 0 else { return }
        for stream in Array(self.streams.values) {
            if let end = stream.lingerEnd, end <= now { stream.cancel() }
        }
    }

    /// Tells a client of what has come once everything that is there was read.
    func flushLater(_ client: ClientConnection) {
        if self.unflushed.last !== client { self.unflushed.append(client) }
    }

    private func flushClients() {
        guard !self.unflushed.isEmpty else { return }
        let clients = self.unflushed
        self.unflushed.removeAll(keepingCapacity: true)
        for client in clients { client.flush() }
    }

    /// Gives a stream up that cannot be served; not while its exchange is still at work.
    func failSoon(_ stream: UpstreamHTTP2Stream) {
        self.eventLoop.assumeIsolated().execute { stream.abandon() }
    }

    /// An empty buffer for what becomes of a frame.
    func takeScratch() -> ByteBuffer {
        var buffer = self.scratch
        self.scratch = ByteBuffer()
        // New memory is taken only if a slow client still has the last content to come.
        buffer.clear()
        return buffer
    }

    func giveBack(scratch: ByteBuffer) {
        if scratch.capacity <= Self.flushSize { self.scratch = scratch }
    }
}

/// The end of the connection.
extension UpstreamHTTP2Connection {
    /// Tells the backend what it did wrong, and closes.
    func fail(_ code: HTTP2ErrorCode) {
        guard !self.isClosing else { return }
        self.member?.report("HTTP/2: \(code)")
        let streams = Array(self.streams.values)
        self.streams = [:]
        self.outbound.writeGoAway(last: 0, code)
        self.flushNow()
        self.end(.protocolViolation, streams)
        self.context?.close(promise: nil)
    }

    /// Closes in order.
    func shutDown() {
        guard !self.isClosing else { return }
        self.outbound.writeGoAway(last: 0, .noError)
        self.flushNow()
        self.end(.eof)
        self.context?.close(promise: nil)
    }

    private enum End {
        case eof
        case protocolViolation
    }

    private func end(_ end: End, _ failed: [UpstreamHTTP2Stream] = []) {
        guard !self.isClosing else { return }
        if case .opening(let promise) = self.stage {
            promise.fail(end == .eof ? ChannelError.eof : Failure.speaksNoHTTP2)
        }
        self.stage = .closing
        self.deadline = nil
        self.headerBlock = nil
        self.member?.remove(self)
        for stream in failed { stream.failed(.http2) }
        for stream in Array(self.streams.values) { stream.lost() }
        self.settle()
        for stream in self.spare { stream.upstream.transport = .none }
        self.spare = []
        self.waiting = []
    }
}

/// The way to the channel.
extension UpstreamHTTP2Connection {
    /// Hands what is ready to the channel before the loop turns to other things: requests of many
    /// clients go out together.
    func flush() {
        guard !self.isReading, !self.isFlushScheduled else { return }
        self.isFlushScheduled = true
        self.eventLoop.assumeIsolated().execute {
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
extension UpstreamHTTP2Connection: Sendable {}
