import GateWire
import NIOCore
internal import NIOSSL

/// An HTTP/2 connection to the backend, for many concurrent requests (RFC 9113).
final class UpstreamHTTP2Connection: ChannelInboundHandler, HTTP2Endpoint, RegisteredConnection {
    typealias InboundIn = ByteBuffer

    enum Stage {
        /// The backend's settings, which confirm HTTP/2, have not been received yet.
        case opening(EventLoopPromise<Void>)
        case open
        /// The connection is closing; further input is discarded.
        case closing
    }

    /// The reason why the connection cannot be used.
    enum Failure: Error, CustomStringConvertible {
        case doesNotSupportHTTP2
        case allowsNoStreams

        var description: String {
            switch self {
            case .doesNotSupportHTTP2: "the backend does not support HTTP/2"
            case .allowsNoStreams: "the backend allows no HTTP/2 streams"
            }
        }
    }

    let eventLoop: any EventLoop
    let isSecure: Bool
    private let bypassesChannel: Bool
    let limits: HeadLimits
    /// The pool member for the backend's address.
    var member: UpstreamPool.Member?
    var deadline: NIODeadline?
    var registryIndex = 0
    var stage: Stage
    private(set) var output: ChannelOutput?
    /// The last known writability of the channel; storing it costs less than querying the channel.
    private(set) var isWritable = false

    var reader: HTTP2FrameReader
    var headers: HTTP2HeaderReader
    var peer = HTTP2PeerSettings(isClient: false)
    var receiveWindow = HTTP2ReceiveWindow(size: HTTP2OwnSettings.connectionWindow)
    /// The budget for control frames, which DATA and HEADERS frames refill.
    var control = FloodBudget(capacity: 1000, perSecond: 100)

    var budget = UpstreamStreamBudget()
    var streams = HTTP2StreamTable<UpstreamHTTP2Stream>()
    /// Streams that have ended but have not been released.
    var over: [UpstreamHTTP2Stream] = []
    /// Streams that can be used for another exchange.
    var spare: [UpstreamHTTP2Stream] = []
    /// The number of streams whose exchange has ended, but whose last frame has not been received.
    var lingeringCount = 0
    /// Whether an exchange has been completed on the connection.
    var hasServed = false
    private(set) var lastReceived = NIODeadline.now()
    var pulse: UpstreamPingSchedule

    /// The head of the last response; its bytes are in `headers`.
    private(set) var responseHead = ResponseHead()
    var outbox = HTTP2Outbox()
    var sendWindow = HTTP2SendWindow()
    var line = HTTP2SendQueue<UpstreamHTTP2Stream>()
    /// The receivers with new data, in the order in which the data arrived.
    private var unsettled: [any UpstreamReceiver] = []

    /// Creates a connection.
    ///
    /// `silence` is how long nothing may be received before the gate sends a PING. `whenReady`
    /// succeeds once the backend has confirmed HTTP/2, and fails if the backend does not support
    /// it.
    init(
        eventLoop: any EventLoop,
        isSecure: Bool,
        bypassesChannel: Bool,
        limits: HeadLimits,
        silence: TimeAmount,
        whenReady: EventLoopPromise<Void>
    ) {
        self.eventLoop = eventLoop
        self.isSecure = isSecure
        self.bypassesChannel = bypassesChannel
        self.limits = limits
        self.pulse = UpstreamPingSchedule(silence: silence)
        self.stage = .opening(whenReady)
        // The block limit is higher than the head limit, so that a head slightly above the head
        // limit is a stream error, not a connection error.
        self.reader = HTTP2FrameReader(expectsPreface: false, blockLimit: 4 * limits.bytes)
        self.headers = HTTP2HeaderReader(limit: limits.bytes)
    }

    var isOpen: Bool {
        if case .open = self.stage { true } else { false }
    }

    var isClosing: Bool {
        if case .closing = self.stage { true } else { false }
    }

    /// Always `false`: the gate requested the data that a backend sends, so the amount per tick is not limited.
    var isTickBudgetSpent: Bool { false }

    /// Whether the connection accepts another request.
    var hasRoom: Bool { self.isOpen && self.budget.hasRoom }
}

extension UpstreamHTTP2Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.output = ChannelOutput(context, bypassesChannel: self.bypassesChannel)
        self.isWritable = context.channel.isWritable
        self.outbox.frames.writeStaticString(HTTP2Preface.bytes)
        HTTP2OwnSettings.writeForBackend(
            maxHeaderListSize: self.limits.bytes,
            into: &self.outbox.frames
        )
        self.flushNow()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.output = nil
        self.isWritable = false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.lastReceived = .now()
        self.received(self.unwrapInboundIn(data))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.receivedAll()
        self.output?.readNext()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.isWritable = context.channel.isWritable
        guard self.isWritable else { return }
        self.pump()
        for stream in self.streams.all where stream.isWritable { stream.becameWritable() }
        self.settle()
        self.flushNow()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Frames have explicit lengths, so truncation is detected without a close notification.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        context.close(promise: nil)
    }
}

/// Receiving responses.
extension UpstreamHTTP2Connection {
    /// Decodes a response head from the last header block.
    func readHead(
        endsStream: Bool,
        answersHead: Bool
    ) throws(MessageFault) -> HTTP2ResponseHead.Content {
        try HTTP2ResponseHead.read(
            &self.headers.fields,
            endsStream: endsStream,
            answersHead: answersHead,
            limits: self.limits,
            into: &self.responseHead
        )
    }

    /// Schedules a call of the receiver's `settle()` for the end of the available input.
    func settleLater(_ receiver: any UpstreamReceiver) {
        if self.unsettled.last !== receiver { self.unsettled.append(receiver) }
    }

    func settleReceivers() {
        guard !self.unsettled.isEmpty else { return }
        let receivers = self.unsettled
        self.unsettled.removeAll(keepingCapacity: true)
        for receiver in receivers { receiver.settle() }
    }
}

/// Sending requests.
extension UpstreamHTTP2Connection {
    /// Sends the head of a request.
    ///
    /// - Returns: The stream ID, or `nil` if the request cannot be sent.
    func open(_ stream: UpstreamHTTP2Stream, _ request: ForwardedRequest) -> UInt32? {
        guard self.isOpen, let id = self.budget.open() else { return nil }
        self.streams[id] = stream
        let endsStream = request.facts.framing == .none
        let block = RequestBlockWriter(request, isSecure: self.isSecure)
        self.outbox.writeHeaders(
            stream: id,
            endsStream: endsStream,
            fields: block.maxFields,
            bytes: block.maxBytes
        ) { block.write(into: &$0) }
        return id
    }

    /// Refills the budget for control frames, because backends can respond to content with any
    /// number of WINDOW_UPDATE frames.
    func wrote(_ count: Int, of stream: UpstreamHTTP2Stream) {
        self.control.earn(16)
    }
}

@available(*, unavailable)
extension UpstreamHTTP2Connection: Sendable {}
