import GateWire
import NIOCore
internal import NIOSSL

/// One HTTP/2 connection to the backend, on which many requests go at the same time (RFC 9113).
final class UpstreamHTTP2Connection: ChannelInboundHandler, HTTP2Endpoint, Overdue {
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
    private let bypassesChannel: Bool
    let limits: HeadLimits
    /// The member that it leads to.
    var member: UpstreamPool.Member?
    var deadline: NIODeadline?
    var registryIndex = 0
    var stage: Stage
    private(set) var context: ChannelHandlerContext?
    private(set) var output: ChannelOutput?
    /// Whether the channel takes more, as it last said: to be told costs less than to ask.
    private(set) var isWritable = false

    var reader: HTTP2FrameReader
    var headers: HTTP2HeaderReader
    var peer = HTTP2PeerSettings(isClient: false)
    var receiveWindow = HTTP2ReceiveWindow(size: HTTP2OwnSettings.connectionWindow)
    /// Frames that carry nothing against those that do.
    var control = FloodBudget(capacity: 1000, perSecond: 100)

    var budget = UpstreamStreamBudget()
    var streams = HTTP2StreamTable<UpstreamHTTP2Stream>()
    /// Streams that are over and were not yet let go of.
    var over: [UpstreamHTTP2Stream] = []
    /// Streams that can serve another exchange.
    var spare: [UpstreamHTTP2Stream] = []
    /// Streams whose exchange is over, and whose last frame is still to come.
    var lingeringCount = 0
    /// Whether an exchange was completed on it.
    var hasServed = false
    private(set) var lastReceived = NIODeadline.now()
    var pulse: UpstreamPulse

    /// The head of the response that was read last, whose bytes are those of `headers`.
    private(set) var responseHead = ResponseHead()
    var outbox = HTTP2Outbox()
    var sendWindow = HTTP2SendWindow()
    var line = HTTP2SendLine<UpstreamHTTP2Stream>()
    /// Receivers for whom something has come, in the order in which it came.
    private var unsettled: [any UpstreamReceiver] = []

    /// - Parameters:
    ///   - eventLoop: The loop of its channel.
    ///   - isSecure: Whether TLS stands between this and the socket.
    ///   - bypassesChannel: Whether what the kernel takes at once goes past the channel.
    ///   - limits: Limits of the heads that are read.
    ///   - silence: After so much of it the backend is asked whether it is still there.
    ///   - whenReady: Told when the backend has said that it speaks HTTP/2, or that it does not.
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
        self.pulse = UpstreamPulse(silence: silence)
        self.stage = .opening(whenReady)
        // A head that is only a little too large is the fault of its stream, not of all of them.
        self.reader = HTTP2FrameReader(expectsPreface: false, blockLimit: 4 * limits.bytes)
        self.headers = HTTP2HeaderReader(limit: limits.bytes)
    }

    var isOpen: Bool {
        if case .open = self.stage { return true }
        return false
    }

    var isClosing: Bool {
        if case .closing = self.stage { return true }
        return false
    }

    /// All that a backend sends at once are answers that were asked for.
    var isTurnOver: Bool { false }

    /// Whether it takes another request.
    var hasRoom: Bool { self.isOpen && self.budget.hasRoom }
}

extension UpstreamHTTP2Connection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
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
        self.context = nil
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
        self.end(.eof)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Frames tell their own length; the end itself is heard of next.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        context.close(promise: nil)
    }
}

/// The responses that come in.
extension UpstreamHTTP2Connection {
    /// Reads the head of a response from the fields that were read last.
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

    /// Lets a receiver settle what has come once everything that is there was read.
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

/// The requests that go out.
extension UpstreamHTTP2Connection {
    /// Begins a request.
    ///
    /// - Returns: its number; `nil`: it cannot be sent.
    func open(_ stream: UpstreamHTTP2Stream, _ request: ForwardedRequest) -> UInt32? {
        guard self.isOpen, let id = self.budget.open() else { return nil }
        self.streams[id] = stream
        let endsStream = request.facts.framing == .none
        let start = self.outbox.beginHeaders(stream: id, endsStream: endsStream)
        RequestBlockWriter.write(request, isSecure: self.isSecure, into: &self.outbox.frames)
        self.outbox.endHeaders(at: start, stream: id)
        return id
    }

    /// It is answered by updates of windows, of which backends send as many as they like.
    func wrote(_ count: Int, of stream: UpstreamHTTP2Stream) {
        self.control.earn(16)
    }
}

@available(*, unavailable)
extension UpstreamHTTP2Connection: Sendable {}
