import GateCensus
import GatePolicy
import GateWire
import Logging
import NIOCore
internal import NIOSSL

/// One connection of a client, or one stream of an HTTP/2 connection: turns bytes and socket events
/// into events of its `Exchange`, and the actions that come back into bytes and socket calls.
final class ClientConnection: ChannelInboundHandler, ChannelOutboundHandler,
    RemovableChannelHandler, Overdue
{
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The facts about a request that its answer needs.
    struct Request: ~Copyable {
        var verdict: Verdict?
        var isHead = false
        var isHTTP10 = false
        /// The lower-case protocols that were offered to the backend.
        var offeredProtocols: [String] = []
        /// Value of `Origin`, for which a denial must be readable.
        var origin: String?
        /// The request as long as it may be sent again.
        var forwarded: ForwardedRequest?
        /// The body is passed as content, without the chunks that it came in: once some of them were taken off, all
        /// are, whatever the next backend speaks.
        var passesContent = false
        /// The content that a backend of HTTP/2 was sent, as long as it may refuse to look at it.
        var sent: SentContent?
        /// The fields behind the content, as far as they were read.
        var trailers: HeaderList?
        /// The response's framing is taken off: the client knows no chunks.
        var dechunks = false
        /// The content of the response comes without a framing of HTTP/1.1 and without a length: the gate itself
        /// tells its end, by the last chunk or by that of the stream.
        var framesContent = false
        /// The client learns of the end of the body by a close.
        var endsByClose = false
        /// The backend's word on its connection.
        var upstreamKeepsAlive = false
        var bodyBytes: UInt64 = 0
        /// The rest of the body is read in large pieces.
        var readsMuch = false
        /// As what the census has counted it, until its answer begins.
        var censusReceipt = CensusReceipt.none
        /// The client sends its body only after a 100, or not at all.
        var awaitsContinue = false
        var logEntry: AccessLog.Entry?
        /// The request may find out whether an address of the backend is back.
        var trial: UpstreamPool.Trial?
        /// The client that a trusted proxy forwarded a refused body for.
        var forwardedClient: ClientNetwork?
        /// A call of gRPC, which may be silent for long.
        var isCall = false

        // Inlined, so that the members are written in place: a request that is handed over costs twice as much.
        @inline(__always)
        init() {}
    }

    let clients: LoopClients
    let loop: LoopContext
    let origin: ClientOrigin
    /// The permit of the connection among those of its client, if those are counted.
    let permit: ConnectionPermit?
    /// Whether the client has no more connections than it may.
    let isWelcome: Bool
    /// Whether this goes on with a connection that was parked.
    let isResumed: Bool
    /// Why it is turned away, as long as the protocol to say so in is not agreed upon.
    var refusal: GateAnswer?
    var exchange: Exchange
    var request = Request()
    var parser: RequestHeadParser
    /// The rules that the current head is read and judged by.
    var rules: WorkerRules
    var lastVerdict: RememberedVerdict?
    /// Bytes that were received and not yet used up.
    var inbound = ByteBuffer()
    /// Bytes that are ready for the client and not yet handed to the channel.
    var outbound: ByteBuffer?
    /// The rest of the request's body.
    var body = BodyReader.none
    /// The response that waits for the rest of a small body.
    var heldAnswer: RenderedAnswer?
    /// The number of bytes that may be discarded before the next lot is taken from the budget.
    var discardRoom = 0
    var upstream: UpstreamConnection?
    /// The request whose answer goes on, if it does.
    var rejudgeable: RejudgeableRequest?
    /// Whether the client has a place among those that may listen to events, until the connection is gone.
    var hasStreamPlace = false
    var transport = ClientTransport.none
    private(set) var deadline: NIODeadline?
    /// When the head of the request was read, and when it was the backend's turn, if that is measured.
    var headReadAt = NIODeadline.uptimeNanoseconds(0)
    var forwardedAt = NIODeadline.uptimeNanoseconds(0)
    var registryIndex = 0
    /// Whether the client has closed its side.
    var inputClosed = false
    var hasHeldRead = false
    /// Whether the channel takes more, as it last said.
    var channelIsWritable = true
    private var settling = Settling.settled
    /// Whether the request waits for the first byte of its answer.
    private(set) var isPending = false

    /// The permit of one more connection among those of its client.
    enum Admission {
        case welcome
        case counted(ConnectionPermit)
        case unwelcome
    }

    /// `silentUntil`: when a connection that was parked will have been silent for too long.
    init(
        clients: LoopClients,
        origin: ClientOrigin,
        admission: Admission = .welcome,
        silentUntil: NIODeadline? = nil
    ) {
        let loop = clients.loop
        self.clients = clients
        self.loop = loop
        self.origin = origin
        switch admission {
        case .welcome: (self.isWelcome, self.permit) = (true, nil)
        case .counted(let permit): (self.isWelcome, self.permit) = (true, permit)
        case .unwelcome: (self.isWelcome, self.permit) = (false, nil)
        }
        self.isResumed = silentUntil != nil
        self.rules = loop.rules
        self.parser = RequestHeadParser(limits: loop.settings.headLimits)
        self.exchange = silentUntil == nil ? .head : .idle
        self.deadline = silentUntil ?? loop.now + loop.settings.timeouts.head
    }

    var isWritable: Bool { self.transport.isWritable(channel: self.channelIsWritable) }

    /// Reading stops where there is nowhere to put what would be read.
    var mayRead: Bool {
        switch self.exchange {
        case .head, .idle: self.isWritable
        case .forwarding(let forwarding) where forwarding.requestEnded:
            // Nothing is wanted but to learn that the client goes away.
            self.inbound.readableBytes == 0
        case .forwarding, .tunnel: self.upstream?.isWritable ?? false
        // A stream gets no larger window until its response is written; `HTTP2Connection` takes over then.
        case .lingering: !self.transport.isStream
        case .awaitingBody, .streaming, .closed: true
        }
    }

    /// Hands everything that is ready to the sockets.
    func flush() {
        if var outbound = self.outbound.take() {
            self.transport.writeAndFlush(&outbound)
            self.loop.giveBack(consume outbound)
        } else {
            self.transport.flush()
        }
    }

    /// Queues bytes for the client.
    ///
    /// Small ones are copied behind what is already there: one piece costs less than two on their
    /// way through the kernel.
    func write(_ buffer: ByteBuffer) {
        self.request.logEntry?.bytes += buffer.readableBytes
        if var outbound = self.outbound.take() {
            if buffer.readableBytes <= Self.copyLimit {
                outbound.writeImmutableBuffer(buffer)
                self.outbound = outbound
                return
            }
            self.transport.write(outbound)
            self.loop.giveBack(outbound)
        }
        self.transport.write(buffer)
    }

    /// Bytes that are copied behind others, so that one piece goes to the kernel.
    static let copyLimit = 4096
}

/// The one place in which an event ends.
extension ClientConnection {
    private enum Settling {
        case settled
        case underWay
        /// Something has happened that `settle()` itself has brought about.
        case repeats
    }

    /// Reads what has arrived as far as the exchange allows, hands to the sockets what came of that, and lets both
    /// sides read again where they may.
    ///
    /// Every event ends here. One that comes of this is settled by the same call, behind it and not within.
    func settle() {
        guard case .settled = self.settling else {
            self.settling = .repeats
            return
        }
        repeat {
            self.settling = .underWay
            // First, since with a client that is gone nothing that it has sent is to be served.
            self.flush()
            self.readOn()
            self.upstream?.flush()
            if self.outbound != nil { self.flush() }
            self.resumeReading()
            self.upstream?.resumeReading()
        } while self.settling == .repeats
        self.settling = .settled
    }

    /// Reads on after whatever held it up is gone.
    private func resumeReading() {
        if case .stream(let stream) = self.transport { return stream.makeRoom() }
        guard self.hasHeldRead, self.mayRead else { return }
        self.hasHeldRead = false
        self.transport.read()
    }
}

/// The one place in which the deadline is set.
extension ClientConnection {
    /// Gives what the exchange waits for all of its time, from now on.
    func renewDeadline() {
        self.renewDeadline(for: self.exchange.wait)
    }

    @inline(__always)
    func renewDeadline(for wait: Exchange.Wait) {
        let timeouts = self.loop.settings.timeouts
        let time: TimeAmount
        switch wait {
        case .connection:
            self.deadline = nil
            return
        case .rest(until: let end):
            self.deadline = Swift.min(end, self.loop.now + timeouts.linger)
            return
        case .head: time = timeouts.head
        case .request: time = timeouts.idle
        // A call may have nothing to say for as long as a tunnel.
        case .body: time = self.request.isCall ? timeouts.tunnel : timeouts.body
        case .response: time = self.request.isCall ? timeouts.tunnel : timeouts.response
        case .tunnel: time = timeouts.tunnel
        case .smallBody: time = self.loop.settings.discardLimits.awaitedTime
        case .lastBytes: time = timeouts.response
        case .heartbeat: time = EventStream.heartbeatInterval
        }
        self.deadline = self.loop.now + time
    }

    /// Lets the deadline be no later than in a while.
    func limitDeadline(to time: TimeAmount) {
        let end = self.loop.now + time
        self.deadline = self.deadline.map { Swift.min($0, end) } ?? end
    }
}

extension ClientConnection {
    /// Requests are judged by other rules from now on.
    func rulesChanged() {
        self.lastVerdict = nil
        switch self.exchange {
        case .forwarding, .awaitingBody:
            // Read to the end by the rules that it was begun with.
            break
        case .head, .idle, .streaming, .lingering, .tunnel, .closed:
            self.rules = self.loop.rules
            self.parser.reset()
        }
    }

    /// The request waits for the backend from now on.
    func beginPending() {
        guard !self.isPending else { return }
        self.isPending = true
        self.loop.requestPends()
    }

    /// The answer has begun, or none will come.
    func endPending() {
        guard self.isPending else { return }
        self.isPending = false
        self.loop.requestPendsNoMore()
    }
}

@available(*, unavailable)
extension ClientConnection: Sendable {}

/// The carrier of a `ClientConnection`'s bytes.
typealias ClientTransport = Transport<HTTP2Stream>

extension HTTP2Stream: TransportStream {}

extension Transport where Stream == HTTP2Stream {
    /// Takes more from the client.
    func read() {
        switch self {
        case .channel(let output): output.context.read()
        case .stream(let stream): stream.makeRoom()
        case .none: break
        }
    }

    func closeOutput() {
        switch self {
        case .channel(let output): output.end()
        case .stream(let stream): stream.endContent()
        case .none: break
        }
    }

    /// Ends the content of an answer where that has an end of its own.
    func endContent() {
        if case .stream(let stream) = self { stream.endContent() }
    }

    /// Makes the close that follows look like none in order.
    func prepareReset() {
        // The close of a stream before its end always is a reset.
        guard case .channel(let output) = self else { return }
        output.prepareReset(below: NIOSSLServerHandler.self)
    }
}
