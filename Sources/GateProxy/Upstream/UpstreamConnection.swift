import GateWire
import NIOCore

/// A connection to the backend, or a stream of an HTTP/2 connection.
///
/// The connection parses responses and passes them to its receiver: the exchange.
final class UpstreamConnection: ChannelInboundHandler, ChannelOutboundHandler, RegisteredConnection
{
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    /// The part of a response to read next.
    private enum Reading {
        /// No request is in progress, so bytes from the backend are unexpected.
        case nothing
        case head
        case body(BodyReader)
        /// The content of an HTTP/2 response, which DATA frames delimit.
        case content
        case tunnel
    }

    /// How the connection has ended.
    private enum Ending {
        case none
        /// The gate, the backend, or both have cleanly closed their write sides.
        case inOrder
        /// The connection was reset, so its end does not mark the end of a body.
        case reset
    }

    var deadline: NIODeadline?
    var registryIndex = 0
    /// The pool member for the backend's address.
    var member: UpstreamPool.Member?
    /// The exchange that responses are passed to.
    private(set) var receiver: (any UpstreamReceiver)?
    private var reading = Reading.nothing
    /// Whether the method of the current request is `HEAD`.
    private(set) var answersHead = false
    private var parser: ResponseHeadParser
    private var inbound = ByteBuffer()
    var transport = UpstreamTransport.none
    private var flow = ChannelFlow(isWritable: true)
    private var ending = Ending.none
    /// The number of bytes that the backend had not received at the last check, or `nil` before the first check.
    private var untaken: Int?
    /// The pool to which the buffers of large reads are returned.
    private let largeBuffers: LargeBuffers?
    /// The event loop's shared empty buffer, used as a placeholder.
    private let emptyBuffer: ByteBuffer
    /// Whether output bypasses the channel while the kernel accepts it.
    private let bypassesChannel: Bool

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

    var isWritable: Bool { self.transport.isWritable(channel: self.flow.isWritable) }

    /// Whether the connection was used for an earlier exchange, so that the backend may have closed it since.
    var mayBeStale: Bool {
        if case .stream(let stream) = self.transport { return stream.connection.hasServed }
        return true
    }

    /// Prepares for a request whose response is passed to `receiver`.
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

    /// Returns whether the backend has received any of the pending bytes since the last check.
    ///
    /// Returns `true` for the first check after the connection became unwritable.
    func hasProgressed() -> Bool {
        let untaken = self.transport.untaken
        defer { self.untaken = untaken }
        return self.untaken.map { untaken < $0 } ?? true
    }

    /// Notifies the receiver that the transport accepts more bytes.
    func becameWritable() {
        self.untaken = nil
        self.receiver?.upstreamBecameWritable()
    }

    func flush() {
        self.transport.flush()
    }

    /// Performs a delayed read if the receiver accepts more data.
    func resumeReading() {
        switch self.transport {
        case .channel(let output):
            guard self.flow.isReadHeld, self.mayRead else { return }
            self.flow.isReadHeld = false
            output.context.read()
        case .stream(let stream): stream.makeRoom()
        case .none: break
        }
    }

    /// Forwards all further bytes unchanged.
    func beginTunnel() {
        self.reading = .tunnel
    }

    /// Closes the write side.
    func endWriting() {
        self.endInOrder()
        self.transport.endWriting()
    }

    /// Detaches the connection from its exchange after a complete response.
    ///
    /// The connection returns to the pool, or is closed if it cannot be reused.
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

    /// Closes the connection without notifying the receiver.
    func close() {
        self.receiver = nil
        self.reading = .nothing
        self.transport.close()
    }

    /// Whether more may be read: the receiver accepts more data, or there is no receiver.
    var mayRead: Bool {
        self.receiver?.isWritable ?? true
    }
}

extension UpstreamConnection {
    func handlerAdded(context: ChannelHandlerContext) {
        let output = ChannelOutput(context, bypassesChannel: self.bypassesChannel)
        self.transport = .channel(output)
        self.flow.isWritable = context.channel.isWritable
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.transport = .none
    }

    func read(context: ChannelHandlerContext) {
        if self.mayRead {
            context.read()
        } else {
            self.flow.isReadHeld = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let receiver = self.receiver else { return self.close() }
        var bytes = self.unwrapInboundIn(data)
        if let largeBuffers { bytes = largeBuffers.reclaim(bytes) }
        let held = receiver.holdOutput()
        self.receive(bytes, for: receiver)
        // Unless the response is complete, output is flushed once everything has been read, because
        // one write of several buffers costs less than several writes.
        let isOver = self.receiver !== receiver
        if isOver { receiver.settle() }
        held?.release(isEndOfAnswer: isOver)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.receiver?.settle()
        if self.mayRead { self.transport.readNext() }
    }

    /// Handles bytes from the backend; the caller flushes the resulting output.
    @inline(__always)
    func receive(_ bytes: ByteBuffer, for receiver: any UpstreamReceiver) {
        var buffer = bytes
        if self.inbound.readableBytes == 0 {
            self.inbound = buffer
        } else {
            // A buffer that is never completely consumed would keep growing.
            self.inbound.discardReadBytes()
            self.inbound.writeBuffer(&buffer)
        }
        self.processInbound(for: receiver)
        // An empty buffer would retain memory that the next read needs.
        if self.inbound.readableBytes == 0 { self.inbound = self.emptyBuffer }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.flow.isWritable = context.channel.isWritable
        if self.flow.isWritable { self.becameWritable() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else { return }
        if self.transport.wasReset { self.ending = .reset } else { self.endInOrder() }
        self.ended()
    }

    func channelInactive(context: ChannelHandlerContext) {
        // NIO does not report write errors. A clean close would already have been reported.
        if case .none = self.ending { self.ending = .reset }
        self.ended()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.ending = .reset
        context.close(promise: nil)
    }

    private func endInOrder() {
        if case .none = self.ending { self.ending = .inOrder }
    }

    private var wasReset: Bool {
        if case .reset = self.ending { true } else { false }
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
    private func processInbound(for receiver: any UpstreamReceiver) {
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

    /// Parses a response head and passes it to the receiver.
    ///
    /// - Returns: Whether more of the received bytes can be processed.
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

/// Receiving HTTP/2 responses, as heads, content and trailer sections.
///
/// The caller must call the receiver's `settle()` afterwards.
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

    /// Handles content; `isLast` indicates whether it completes the response.
    func receive(_ content: ByteBuffer, isLast: Bool) {
        guard case .content = self.reading, let receiver = self.receiver else { return }
        receiver.responseContent(content, isLast: isLast)
        if isLast { self.endContent(for: receiver) }
    }

    /// Handles the trailer section, which completes the response.
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
