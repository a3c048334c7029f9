import GateCensus
import GatePolicy
import Logging
import NIOCore
internal import NIOSSL
internal import NIOTLS

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
        /// The head as sent, as long as it may be sent again.
        var replay: ByteBuffer?
        /// The response's framing is taken off: the client knows no chunks.
        var dechunks = false
        /// The client learns of the end of the body by a close.
        var endsByClose = false
        /// The backend's word on its connection.
        var upstreamKeepsAlive = false
        var bodyBytes: UInt64 = 0
        /// As what the census has counted it, until its answer begins.
        var censusReceipt = CensusReceipt.none
        /// The client sends its body only after a 100, or not at all.
        var awaitsContinue = false
        var logEntry: AccessLog.Entry?
        /// The request may find out whether an address of the backend is back.
        var trial: UpstreamPool.Trial?
        /// A call of gRPC, which may be silent for long.
        var isCall = false
    }

    let worker: Worker
    /// Writes what goes to the backend, and knows where it comes from.
    let headWriter: RequestHeadWriter
    /// The permit of the connection among those of its client, if those are counted.
    let permit: ConnectionPermit?
    /// Whether the client has no more connections than it may.
    private let isWelcome: Bool
    /// Whether this goes on with a connection that was parked.
    let isResumed: Bool
    /// Why it is turned away, as long as the protocol to say so in is not agreed upon.
    private(set) var refusal: GateAnswer?
    var exchange = Exchange.head
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
    var upstream: UpstreamConnection?
    /// The request whose answer goes on, if it does.
    var rejudgeable: RejudgeableRequest?
    /// The stream of events that the client listens to.
    var events: EventStream?
    /// The bytes that wait for a connection to the backend; `nil`: none is being opened.
    var unsent: [ByteBuffer]?
    var transport = ClientTransport.none
    var deadline: NIODeadline?
    /// When the head of the request was read, and when it was the backend's turn, if that is measured.
    var headReadAt = NIODeadline.uptimeNanoseconds(0)
    var forwardedAt = NIODeadline.uptimeNanoseconds(0)
    /// No lingering beyond it.
    var lingerEnd: NIODeadline?
    var registryIndex = 0
    /// Whether the time of the head that is being received has begun to run.
    var hasHeadDeadline: Bool
    /// Whether the client has closed its side.
    var inputClosed = false
    private var hasHeldRead = false
    /// Whether the channel takes more, as it last said: to be told costs less than to ask.
    private var channelIsWritable = true
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
        worker: Worker,
        origin: ClientOrigin,
        admission: Admission = .welcome,
        silentUntil: NIODeadline? = nil
    ) {
        self.worker = worker
        self.headWriter = RequestHeadWriter(
            origin: origin,
            upstreamAuthority: worker.upstreamAuthority
        )
        switch admission {
        case .welcome: (self.isWelcome, self.permit) = (true, nil)
        case .counted(let permit): (self.isWelcome, self.permit) = (true, permit)
        case .unwelcome: (self.isWelcome, self.permit) = (false, nil)
        }
        self.isResumed = silentUntil != nil
        self.rules = worker.rules
        self.parser = RequestHeadParser(limits: worker.settings.headLimits)
        self.hasHeadDeadline = silentUntil == nil
        self.deadline = silentUntil ?? worker.now + worker.settings.timeouts.head
    }

    var origin: ClientOrigin { self.headWriter.origin }

    var isWritable: Bool {
        if case .channel = self.transport { return self.channelIsWritable }
        return self.transport.isWritable
    }

    /// Reading stops where there is nowhere to put what would be read.
    var mayRead: Bool {
        switch self.exchange {
        case .head: self.isWritable
        case .forwarding(let forwarding) where forwarding.requestEnded:
            // Nothing is wanted but to learn that the client goes away.
            self.inbound.readableBytes == 0
        case .forwarding, .tunnel: self.upstream?.isWritable ?? false
        case .streaming, .discarding, .lingering, .closed: true
        }
    }

    /// Reads on after whatever held it up is gone.
    func resumeReading() {
        if case .stream(let stream) = self.transport { return stream.makeRoom() }
        guard self.hasHeldRead, self.mayRead else { return }
        self.hasHeldRead = false
        self.transport.read()
    }

    /// Hands everything that is ready to the sockets.
    func flush() {
        if let outbound = self.outbound {
            self.outbound = nil
            self.transport.writeAndFlush(outbound)
            self.worker.giveBack(outbound)
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
            self.worker.giveBack(outbound)
        }
        self.transport.write(buffer)
    }

    private static let copyLimit = 4096
}

extension ClientConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        self.transport = .channel(
            ChannelOutput(context, reachesSocket: !self.origin.isSecure)
        )
        self.channelIsWritable = context.channel.isWritable
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.transport = .none
    }

    func channelActive(context: ChannelHandlerContext) {
        let hasRoom = self.worker.hasRoom
        let isOpen = !self.worker.isDraining || self.worker.drainGrace > .zero
        // A client that was there already has not become one more.
        guard self.isResumed || hasRoom && self.isWelcome && isOpen else {
            if !hasRoom {
                self.worker.refused(.connections)
            } else if !self.isWelcome {
                self.worker.refused(.connectionsPerAddress, ["client": "\(self.origin.address)"])
            }
            guard self.worker.hasRoomForRefusal else { return context.close(promise: nil) }
            self.worker.add(self)
            self.refusal = self.isWelcome ? .overloaded : .tooManyFromAddress
            if !self.origin.isSecure { self.answerRefusal() }
            return
        }
        self.worker.add(self)
        if self.worker.isDraining { self.drain(grace: self.worker.drainGrace) }
    }

    private func answerRefusal() {
        guard let refusal = self.refusal.take() else { return }
        self.answer(refusal, keepsClient: false)
        self.flush()
    }

    func read(context: ChannelHandlerContext) {
        if self.mayRead {
            context.read()
        } else {
            self.hasHeldRead = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.received(self.unwrapInboundIn(data))
    }

    /// Takes bytes of the client.
    @inline(__always)
    func received(_ bytes: ByteBuffer) {
        var buffer = bytes
        if self.inbound.readableBytes == 0 {
            self.inbound = buffer
        } else {
            // Without this a client that never lets the buffer become empty would make it grow.
            self.inbound.discardReadBytes()
            self.inbound.writeBuffer(&buffer)
        }
        self.readOn()
        // Empty, it would still hold on to the memory that the next read wants to use.
        if self.inbound.readableBytes == 0 { self.inbound = ByteBuffer() }
        self.upstream?.flush()
        if self.outbound != nil { self.flush() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Nobody stands behind it who would want to hear of that.
        if self.mayRead { self.transport.readNext() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.channelIsWritable = context.channel.isWritable
        if self.channelIsWritable { self.becameWritable() }
    }

    /// The client takes more again.
    func becameWritable() {
        if case .forwarding(let forwarding) = self.exchange, forwarding.responseStarted {
            self.deadline = self.worker.now + self.responseTimeout
        }
        self.upstream?.resumeReading()
        self.readOn()
        self.upstream?.flush()
        self.flush()
        self.resumeReading()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent {
            return negotiated == "h2" ? self.becomeHTTP2() : self.answerRefusal()
        }
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        self.clientEnded()
    }

    /// The client has closed its side.
    func clientEnded() {
        self.inputClosed = true
        switch self.exchange.clientEnded(hasMore: self.inbound.readableBytes > 0) {
        case .finish:
            self.readOn()
            self.upstream?.flush()
            if self.outbound != nil { self.flush() }
        case .close: self.closeAfterWriting()
        case .endUpstream:
            self.upstream?.endWriting()
            self.deadline = self.worker.now + self.worker.settings.timeouts.body
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.gone()
    }

    /// The client is gone, whatever was under way.
    func gone() {
        self.exchange = .closed
        self.rejudgeable = nil
        self.dropUpstream()
        self.finishLogEntry()
        if self.events.take() != nil { self.worker.closeStream() }
        self.worker.remove(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client ended its side without saying so in TLS. Requests tell their own length, so
        // that nothing can be missing unnoticed; the end itself is heard of next.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        if let problem = HandshakeProblem(error, with: .client) {
            self.worker.handshakeFailed(problem, with: self.origin)
        }
        context.close(promise: nil)
    }
}

extension ClientConnection {
    /// The worker judges by other rules from now on.
    func rulesChanged() {
        self.lastVerdict = nil
        switch self.exchange {
        case .forwarding, .discarding:
            // Read to the end by the rules that it was begun with.
            break
        case .head, .streaming, .lingering, .tunnel, .closed:
            self.rules = self.worker.rules
            self.parser.reset()
        }
    }

    /// The request waits for the backend from now on.
    func beginPending() {
        guard !self.isPending else { return }
        self.isPending = true
        self.worker.requestPends()
    }

    /// The answer has begun, or none will come.
    func endPending() {
        guard self.isPending else { return }
        self.isPending = false
        self.worker.requestPendsNoMore()
    }
}

@available(*, unavailable)
extension ClientConnection: Sendable {}
