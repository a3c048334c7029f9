import GateWire
import NIOCore
internal import NIOSSL

/// One HTTP/2 connection from a client (RFC 9113).
///
/// An `HTTP2Connection` reads frames, manages the streams, and writes the frames of their responses.
final class HTTP2Connection: ChannelInboundHandler, ChannelOutboundHandler, HTTP2Endpoint,
    HeldOutput, RegisteredConnection
{
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    enum Stage {
        /// The client's settings have not arrived (RFC 9113 section 3.4).
        case opening
        case open
        /// `GOAWAY` was sent.
        ///
        /// Streams up to `last` are served, and the client retries later streams elsewhere (RFC 9113 section 6.8).
        case draining(last: UInt32)
        /// The last `GOAWAY` was sent, and frames from the client are discarded.
        case closing
    }

    /// The budgets for actions that cost the client little.
    struct FloodBudgets {
        /// The budget for stream resets, refilled by responses.
        var resets = FloodBudget(capacity: 200, perSecond: 20)
        /// The budget for frames without content, refilled by frames with content.
        var control = FloodBudget(capacity: 1000, perSecond: 100)
        /// The budget for discarded bytes on the connection.
        var discards: FloodBudget
    }

    let clients: LoopClients
    let loop: LoopContext
    let origin: ClientAddress
    private(set) var output: ChannelOutput?
    private var flow = ChannelFlow(isWritable: false)
    var deadline: NIODeadline?
    var registryIndex = 0
    var stage = Stage.opening
    var turn = HTTP2Turn()
    var budgets: FloodBudgets

    var reader: HTTP2FrameReader
    var headers: HTTP2HeaderReader
    var peer = HTTP2PeerSettings(isClient: true)
    var receiveWindow = HTTP2ReceiveWindow(size: HTTP2OwnSettings.connectionWindow)

    var streams = HTTP2StreamTable<HTTP2Stream>()
    /// The highest stream ID that the client has used.
    var lastStream: UInt32 = 0
    /// Streams that have ended and that `settle()` releases.
    var over: [HTTP2Stream] = []
    /// Streams that can serve another request.
    var idle: [HTTP2Stream] = []
    /// Streams that have ended, but on which frames may still arrive.
    var closedStreams = ClosedStreamTracker(most: 2 * HTTP2Connection.maxStreams)

    var outbox = HTTP2Outbox()
    var sendWindow = HTTP2SendWindow()
    var line = HTTP2SendQueue<HTTP2Stream>()

    /// The maximum number of concurrent streams per connection.
    static let maxStreams = 100

    /// The capacity of the budget for discarded bytes, in bodies of the maximum size.
    private static let discardedBodies = 2

    /// The pause before the remaining frames are processed.
    ///
    /// Without a pause, processing would continue before other sockets are read, because a NIO event loop first runs
    /// all tasks that are due, including those that were just added.
    static let pause = TimeAmount.microseconds(20)

    init(clients: LoopClients, origin: ClientAddress) {
        self.clients = clients
        self.loop = clients.loop
        self.origin = origin
        let settings = clients.loop.settings
        self.budgets = FloodBudgets(
            discards: .bodies(Self.discardedBodies, settings.discardLimits)
        )
        let limit = origin.headLimits(settings).bytes
        self.reader = HTTP2FrameReader(expectsPreface: true, blockLimit: limit)
        self.headers = HTTP2HeaderReader(limit: limit)
    }

    var eventLoop: any EventLoop { self.loop.eventLoop }

    @inline(__always)
    var isWritable: Bool { self.flow.isWritable }

    /// Whether the client has closed its write side.
    var inputClosed: Bool { self.flow.isInputClosed }

    @inline(__always)
    var isClosing: Bool {
        if case .closing = self.stage { true } else { false }
    }

    @inline(__always)
    var isTickBudgetSpent: Bool { self.turn.isOver }

    /// The highest stream ID that is served while the connection is draining; `nil` if the connection is not draining.
    var lastServedStream: UInt32? {
        if case .draining(let last) = self.stage { last } else { nil }
    }
}

extension HTTP2Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        let bypasses = self.loop.settings.bypassesChannel(isSecure: self.origin.isSecure)
        self.output = ChannelOutput(context, bypassesChannel: bypasses)
        self.flow.isWritable = context.channel.isWritable
        self.deadline = self.loop.now + self.loop.settings.timeouts.head
        self.clients.add(self)
        HTTP2OwnSettings.write(
            maxStreams: Self.maxStreams,
            maxHeaderListSize: self.origin.headLimits(self.loop.settings).bytes,
            into: &self.outbox.frames
        )
        self.flush()
        if self.loop.isDraining { self.drain(grace: self.loop.drainGrace) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.output = nil
        self.flow.isWritable = false
    }

    func read(context: ChannelHandlerContext) {
        // Nothing more is read while the client does not read its responses. Requests that have arrived are served
        // before new ones are read.
        if self.isWritable, !self.turn.isWaiting {
            context.read()
        } else {
            self.flow.isReadHeld = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.received(self.unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.receivedAll()
        self.endTurn()
        if self.isWritable, !self.turn.isWaiting { self.output?.readNext() }
    }

    /// Processes the bytes that had arrived when HTTP/2 was detected.
    func begin(with bytes: ByteBuffer) {
        self.received(bytes)
        // `channelReadComplete` might not be called if no more bytes arrive.
        self.receivedAll()
        self.endTurn()
    }

    /// Schedules the next batch if frames may remain.
    private func endTurn() {
        guard self.turn.end(isClosing: self.isClosing) else { return }
        self.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.beginTurn() }
    }

    private func beginTurn() {
        self.turn.begin()
        guard let context = self.context, !self.isClosing else { return }
        self.processInbound()
        self.outbox.release()
        self.settle()
        // Flushed before the pause starts; otherwise the pause could be over before the flush ends.
        self.flushNow()
        self.endTurn()
        self.resumeReading(context)
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard self.flow.isReadHeld, self.isWritable, !self.turn.isWaiting else { return }
        self.flow.isReadHeld = false
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.flow.isWritable = context.channel.isWritable
        guard self.isWritable else { return }
        self.pump()
        for stream in self.streams.all where !stream.isOver { stream.becameWritable() }
        self.settle()
        self.flushNow()
        self.resumeReading(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        self.flow.isInputClosed = true
        self.clientEnded()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.endAll()
        self.clients.remove(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The frames show whether anything is missing, and NIO reports the close itself next.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        context.close(promise: nil)
    }
}

/// Methods that write frames.
extension HTTP2Connection {
    /// Flushes the frames for a part of a backend's response.
    ///
    /// At the end of a response, the frames are flushed at once if no other stream could add frames.
    func release(isEndOfAnswer: Bool) {
        self.outbox.release()
        guard !self.outbox.isEmpty else { return self.settle() }
        guard isEndOfAnswer, self.streams.count == 1, !self.outbox.isScheduled else {
            return self.flush()
        }
        self.settle()
        self.flushNow()
    }

    /// Refills the budget for control frames when content is sent.
    ///
    /// Clients that increase the window byte by byte do not refill the budget.
    func wrote(_ count: Int, of stream: HTTP2Stream) {
        if stream.output.isEmpty || count >= 1024 { self.budgets.control.earn(4) }
    }
}

@available(*, unavailable)
extension HTTP2Connection: Sendable {}
