import GateWire
import NIOCore
internal import NIOSSL

/// One HTTP/2 connection of a client (RFC 9113): reads its frames, keeps its streams, and writes
/// what they answer.
final class HTTP2Connection: ChannelInboundHandler, ChannelOutboundHandler, HTTP2Endpoint,
    HeldOutput, Overdue
{
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Stage {
        /// The client has yet to say what it is like (RFC 9113 3.4).
        case opening
        case open
        /// Told to open no more streams than it has (RFC 9113 6.8).
        case draining
        /// Told that it is over; whatever it still sends is thrown away.
        case closing
    }

    let clients: LoopClients
    let loop: LoopContext
    let origin: ClientOrigin
    private(set) var context: ChannelHandlerContext?
    private(set) var output: ChannelOutput?
    var deadline: NIODeadline?
    var registryIndex = 0
    var stage = Stage.opening

    var reader: HTTP2FrameReader
    var headers: HTTP2HeaderReader
    /// The head of the request that was opened last; its memory is used again.
    var requestHead = RequestHead()
    var peer = HTTP2PeerSettings(isClient: true)
    var receiveWindow = HTTP2ReceiveWindow(size: HTTP2OwnSettings.connectionWindow)

    var streams = HTTP2StreamTable<HTTP2Stream>()
    /// The highest stream that the client has opened.
    var lastStream: UInt32 = 0
    /// The highest stream that will be served, once the client has been told which it is; what the
    /// client opens beyond it is its to send elsewhere (RFC 9113 6.8).
    var lastServedStream: UInt32?
    /// Streams that are over and were not yet let go of.
    var over: [HTTP2Stream] = []
    /// Streams that wait to serve another request.
    var idle: [HTTP2Stream] = []
    /// Streams that are over and of which frames may still come.
    var closedStreams = ClosedStreamTracker(most: 2 * HTTP2Connection.maxStreams)

    var outbox = HTTP2Outbox()
    var sendWindow = HTTP2SendWindow()
    var line = HTTP2SendLine<HTTP2Stream>()

    /// Resets of streams against requests that were answered.
    var resets = FloodBudget(capacity: 200, perSecond: 20)
    /// Frames that carry nothing against those that do.
    var control = FloodBudget(capacity: 1000, perSecond: 100)

    /// The budget of the connection for discarded bytes.
    var discards: FloodBudget
    var watchesDiscarding = false

    /// Whether the channel takes more, as it last said: to be told costs less than to ask.
    private(set) var isWritable = false
    private var hasHeldRead = false
    /// Header sections that were read in this turn of the loop.
    var sectionsOfTurn = 0
    /// Whether the frames behind them wait for the next one.
    private var waitsForTurn = false
    private(set) var inputClosed = false

    /// Streams that a client may have at the same time.
    static let maxStreams = 100

    /// Header sections that are read before the loop turns to other connections: the requests of one client
    /// that arrive together are hundreds when each of their fields is an index.
    static let sectionsPerTurn = 16

    /// The capacity of that budget in bodies of the maximum size.
    private static let discardedBodies = 2

    /// How long the rest waits at least: a loop of NIO runs whatever is due before it looks at its sockets, a task
    /// that was added just now included.
    static let pause = TimeAmount.microseconds(20)

    init(clients: LoopClients, origin: ClientOrigin) {
        self.clients = clients
        self.loop = clients.loop
        self.origin = origin
        let settings = clients.loop.settings
        self.discards = .bodies(Self.discardedBodies, settings.discardLimits)
        let limit = settings.headLimits.bytes
        self.reader = HTTP2FrameReader(expectsPreface: true, blockLimit: limit)
        self.headers = HTTP2HeaderReader(limit: limit)
    }

    var eventLoop: any EventLoop { self.loop.eventLoop }

    var isClosing: Bool {
        if case .closing = self.stage { return true }
        return false
    }

    var isTurnOver: Bool { self.sectionsOfTurn >= Self.sectionsPerTurn }
}

extension HTTP2Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let bypasses = self.loop.settings.bypassesChannel(isSecure: self.origin.isSecure)
        self.output = ChannelOutput(context, bypassesChannel: bypasses)
        self.isWritable = context.channel.isWritable
        self.deadline = self.loop.now + self.loop.settings.timeouts.head
        self.clients.add(self)
        HTTP2OwnSettings.write(
            maxStreams: Self.maxStreams,
            maxHeaderListSize: self.loop.settings.headLimits.bytes,
            into: &self.outbox.frames
        )
        self.flush()
        if self.loop.isDraining { self.drain(grace: self.loop.drainGrace) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        self.output = nil
        self.isWritable = false
    }

    func read(context: ChannelHandlerContext) {
        // A client that does not read its answers may not ask for more of them, and requests that have
        // arrived already come before new ones.
        if self.isWritable, !self.waitsForTurn {
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
        self.endTurn()
        if self.isWritable, !self.waitsForTurn { self.output?.readNext() }
    }

    /// Takes what had arrived when the client turned out to speak HTTP/2.
    func begin(with bytes: ByteBuffer) {
        self.received(bytes)
        // Perhaps no more is on its way that would be followed by this.
        self.receivedAll()
        self.endTurn()
    }

    /// Leaves what has arrived beyond the requests of one turn to the next one.
    private func endTurn() {
        guard self.isTurnOver, !self.isClosing else {
            self.sectionsOfTurn = 0
            return
        }
        guard !self.waitsForTurn else { return }
        self.waitsForTurn = true
        self.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.turnHasCome() }
    }

    private func turnHasCome() {
        self.waitsForTurn = false
        self.sectionsOfTurn = 0
        guard let context = self.context, !self.isClosing else { return }
        self.readOn()
        self.outbox.release()
        self.settle()
        // Before the pause begins, which would be over behind it.
        self.flushNow()
        self.endTurn()
        self.resumeReading(context)
    }

    private func resumeReading(_ context: ChannelHandlerContext) {
        guard self.hasHeldRead, self.isWritable, !self.waitsForTurn else { return }
        self.hasHeldRead = false
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.isWritable = context.channel.isWritable
        guard self.isWritable else { return }
        self.pump()
        for stream in self.streams.all where !stream.isOver { stream.becameWritable() }
        self.settle()
        self.flushNow()
        self.resumeReading(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        self.inputClosed = true
        self.clientEnded()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.endAll()
        self.clients.remove(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Frames tell their own length; the end itself is heard of next.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        context.close(promise: nil)
    }
}

/// The frames that go out.
extension HTTP2Connection {
    /// Hands on what an answer of the backend has brought about: at once behind its end, if there is no
    /// other stream that could add to it.
    func release(isEndOfAnswer: Bool) {
        self.outbox.release()
        guard !self.outbox.isEmpty else { return self.settle() }
        guard isEndOfAnswer, self.streams.count == 1, !self.outbox.isScheduled else {
            return self.flush()
        }
        self.settle()
        self.flushNow()
    }

    /// A client that makes room for a body byte by byte earns nothing by it.
    func wrote(_ count: Int, of stream: HTTP2Stream) {
        if stream.output.isEmpty || count >= 1024 { self.control.earn(4) }
    }
}

@available(*, unavailable)
extension HTTP2Connection: Sendable {}
