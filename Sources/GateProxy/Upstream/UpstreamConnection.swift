import GateWire
import NIOCore

/// One connection to the backend, or one stream of an HTTP/2 connection: reads responses off it and
/// tells the receiver that it serves; what they mean for the exchange is decided there.
final class UpstreamConnection: ChannelInboundHandler, ChannelOutboundHandler, Overdue {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Reading {
        /// No request is on the connection; whatever arrives now belongs to nobody.
        case nothing
        case head
        case body(BodyReader)
        /// The content of a response of HTTP/2, whose frames tell the end.
        case content
        case tunnel
    }

    var deadline: NIODeadline?
    var registryIndex = 0
    /// The member that it leads to.
    var member: UpstreamPool.Member?
    /// The exchange that the responses are for.
    private(set) var receiver: (any UpstreamReceiver)?
    private var reading = Reading.nothing
    private(set) var answersHead = false
    private var parser: ResponseHeadParser
    private var inbound = ByteBuffer()
    var transport = UpstreamTransport.none
    private var hasHeldRead = false
    /// Whether the channel takes more, as it last said.
    private var channelIsWritable = true
    /// Whether the connection was reset: what looks like the end of a body is none then.
    private var wasReset = false
    /// Whether the backend has closed its side in order.
    private var inputEnded = false
    /// Whether the gate has closed its side in order.
    private var outputEnded = false
    /// Bytes that the backend had not taken when it was asked last.
    private var untaken: Int?
    /// The store that the memory of what was read goes to.
    private let largeBuffers: LargeBuffers?
    private let emptyBuffer: ByteBuffer
    /// Whether what the kernel takes at once goes past the channel.
    private let bypassesChannel: Bool

    /// `emptyBuffer`: that of the loop.
    init(
        limits: HeadLimits,
        bypassesChannel: Bool = true,
        largeBuffers: LargeBuffers? = nil,
        emptyBuffer: ByteBuffer = ByteBuffer()
    ) {
        self.parser = ResponseHeadParser(limits: limits)
        self.bypassesChannel = bypassesChannel
        self.largeBuffers = largeBuffers
        self.emptyBuffer = emptyBuffer
    }

    var isActive: Bool { self.transport.isActive }

    var isWritable: Bool { self.transport.isWritable(channel: self.channelIsWritable) }

    /// Whether an earlier exchange left the connection open, so that the backend may have closed it
    /// in the meantime.
    var mayBeStale: Bool {
        if case .stream(let stream) = self.transport { return stream.connection.hasServed }
        return true
    }

    /// Takes a request; its response goes to `receiver`.
    func begin(for receiver: any UpstreamReceiver, answersHead: Bool) {
        self.receiver = receiver
        self.answersHead = answersHead
        self.deadline = nil
        self.untaken = nil
        self.reading = .head
        self.parser.reset()
    }

    func write(_ buffer: ByteBuffer) {
        self.transport.write(buffer)
    }

    /// Whether the gate still holds some of what was written.
    var hasUnsent: Bool { self.transport.hasUnsent }

    /// Whether the backend has taken some of what waits for it since this was asked last, or for the
    /// first time since it stopped taking all.
    func takesOn() -> Bool {
        let untaken = self.transport.untaken
        defer { self.untaken = untaken }
        return self.untaken.map { untaken < $0 } ?? true
    }

    /// The backend takes more again.
    func becameWritable() {
        self.untaken = nil
        self.receiver?.upstreamBecameWritable()
    }

    func flush() {
        self.transport.flush()
    }

    /// Reads on after the receiver has caught up.
    func resumeReading() {
        switch self.transport {
        case .channel(let output):
            guard self.hasHeldRead, self.mayRead else { return }
            self.hasHeldRead = false
            output.context.read()
        case .stream(let stream): stream.makeRoom()
        case .none: break
        }
    }

    /// Passes every byte from now on.
    func beginTunnel() {
        self.reading = .tunnel
    }

    /// Calls back when all that was written is with the kernel, or the connection is gone.
    func whenWritten(_ done: @escaping () -> Void) {
        self.transport.whenWritten(done)
    }

    func endWriting() {
        self.outputEnded = true
        self.transport.endWriting()
    }

    /// Makes the close that follows look like none in order.
    func prepareReset() {
        self.transport.prepareReset()
    }

    /// Gives the connection back after a complete response, or closes it if it cannot serve again.
    func release(reusable: Bool, now: NIODeadline) {
        self.receiver = nil
        self.reading = .nothing
        switch self.transport {
        case .channel:
            guard reusable, self.inbound.readableBytes == 0, let member = self.member else {
                return self.close()
            }
            member.keep(self, at: now)
            self.resumeReading()
        case .stream(let stream): stream.release(at: now)
        case .none: break
        }
    }

    /// Closes the connection; nobody hears of it any more.
    func close() {
        self.receiver = nil
        self.reading = .nothing
        self.transport.close()
    }

    /// Reading stops where the receiver takes no more.
    var mayRead: Bool {
        self.receiver?.isWritable ?? true
    }
}

extension UpstreamConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        let output = ChannelOutput(context, bypassesChannel: self.bypassesChannel)
        self.transport = .channel(output)
        self.channelIsWritable = context.channel.isWritable
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.transport = .none
    }

    func read(context: ChannelHandlerContext) {
        if self.mayRead {
            context.read()
        } else {
            self.hasHeldRead = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let receiver = self.receiver else { return self.close() }
        var bytes = self.unwrapInboundIn(data)
        if let largeBuffers { bytes = largeBuffers.reclaim(bytes) }
        let held = receiver.holdOutput()
        self.receive(bytes, for: receiver)
        // Bytes that go on are flushed when there is no more to read for now: one write of several
        // pieces costs less than as many writes.
        let isOver = self.receiver !== receiver
        if isOver { receiver.settle() }
        held?.release(isEndOfAnswer: isOver)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.receiver?.settle()
        if self.mayRead { self.transport.readNext() }
    }

    /// Takes bytes of the backend; it is up to the caller to flush what becomes of them.
    @inline(__always)
    func receive(_ bytes: ByteBuffer, for receiver: any UpstreamReceiver) {
        var buffer = bytes
        if self.inbound.readableBytes == 0 {
            self.inbound = buffer
        } else {
            // Without this a backend that never lets the buffer become empty would make it grow.
            self.inbound.discardReadBytes()
            self.inbound.writeBuffer(&buffer)
        }
        self.readOn(for: receiver)
        // Empty, it would still hold on to the memory that the next read wants to use.
        if self.inbound.readableBytes == 0 { self.inbound = self.emptyBuffer }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.channelIsWritable = context.channel.isWritable
        if self.channelIsWritable { self.becameWritable() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        self.inputEnded = true
        if self.transport.wasReset { self.wasReset = true }
        self.ended()
    }

    func channelInactive(context: ChannelHandlerContext) {
        // NIO says nothing of an error that it meets in writing; but who has closed was heard of, if it
        // was the first to do so.
        if !self.inputEnded, !self.outputEnded { self.wasReset = true }
        self.ended()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.wasReset = true
        context.close(promise: nil)
    }

    private func ended() {
        guard let receiver = self.receiver else {
            self.member?.remove(self)
            return self.close()
        }
        if case .body(.untilClose) = self.reading, !self.wasReset {
            receiver.responseEnded(upstreamKeepsAlive: false)
            receiver.settle()
        } else {
            receiver.upstreamEnded(wasReset: self.wasReset)
        }
    }
}

extension UpstreamConnection {
    private func readOn(for receiver: any UpstreamReceiver) {
        while self.receiver === receiver {
            switch self.reading {
            case .nothing:
                return
            case .head:
                guard self.readHead(for: receiver) else { return }
            case .body(var reader):
                guard self.readBody(&reader, for: receiver) else { return }
            case .content:
                return
            case .tunnel:
                guard let bytes = self.inbound.readSlice(length: self.inbound.readableBytes),
                    bytes.readableBytes > 0
                else { return }
                receiver.tunnelReceived(bytes)
                return
            }
        }
    }

    /// - Returns: whether there may be more to read.
    private func readHead(for receiver: any UpstreamReceiver) -> Bool {
        let inbound = self.inbound
        let bytes = inbound.readableBytesUInt8Span
        switch self.parser.parse(bytes) {
        case .incomplete:
            return false
        case .malformed(let fault):
            receiver.upstreamFailed(fault)
            return false
        case .complete:
            break
        }
        let head = self.parser.head
        do throws(MessageFault) {
            let facts = try ResponseFacts(head, in: bytes, answersHead: self.answersHead)
            self.inbound.moveReaderIndex(forwardBy: head.end)
            self.reading = head.isInterim ? .head : .body(BodyReader(facts.framing))
            self.member?.answered()
            receiver.responseHead(head, facts: facts, bytes: bytes)
            if head.isInterim { self.parser.reset() }
            return true
        } catch {
            receiver.upstreamFailed(error)
            return false
        }
    }

    private func readBody(_ reader: inout BodyReader, for receiver: any UpstreamReceiver) -> Bool {
        let inbound = self.inbound
        switch receiver.consumeResponseBody(&reader, from: inbound) {
        case .more(let consumed):
            self.reading = .body(reader)
            self.inbound.moveReaderIndex(forwardBy: consumed)
            return false
        case .end(let consumed):
            self.reading = .nothing
            self.inbound.moveReaderIndex(forwardBy: consumed)
            receiver.responseEnded(upstreamKeepsAlive: true)
            return false
        case .malformed(let fault):
            receiver.upstreamFailed(fault)
            return false
        }
    }
}

/// Responses of HTTP/2, which come as heads, content and trailers; the caller settles the receiver behind them.
extension UpstreamConnection {
    func receive(_ head: ResponseHead, in bytes: Span<UInt8>) {
        guard let receiver = self.receiver else { return }
        do throws(MessageFault) {
            let facts = try ResponseFacts(head, in: bytes, answersHead: self.answersHead)
            self.reading = head.isInterim ? .head : .content
            self.member?.answered()
            receiver.responseHead(head, facts: facts, bytes: bytes)
        } catch {
            receiver.upstreamFailed(error)
        }
    }

    /// `isLast`: the response is whole with it.
    func receive(_ content: ByteBuffer, isLast: Bool) {
        guard case .content = self.reading, let receiver = self.receiver else { return }
        receiver.responseContent(content, isLast: isLast)
        if isLast { self.endContent(for: receiver) }
    }

    /// The response is whole with them.
    func receive(trailers: HeaderList) {
        guard case .content = self.reading, let receiver = self.receiver else { return }
        receiver.responseTrailers(trailers)
        self.endContent(for: receiver)
    }

    private func endContent(for receiver: any UpstreamReceiver) {
        self.reading = .nothing
        receiver.responseEnded(upstreamKeepsAlive: true)
    }
}

@available(*, unavailable)
extension UpstreamConnection: Sendable {}
