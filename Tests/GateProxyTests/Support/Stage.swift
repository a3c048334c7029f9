import GatePolicy
import GateWire
import Logging
import NIOCore
import NIOEmbedded
import Testing
import WireSamples

@testable import GateProxy

/// Emulates a socket for a handler, and records its calls.
///
/// Like NIO's own channel, it drops unwritten bytes on close, and closes completely when both sides
/// are closed.
final class FakeSocket: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    /// The bytes that the peer has received.
    private(set) var sent = ""
    private var sentBytes: [UInt8] = []
    private(set) var isOutputClosed = false
    private(set) var isClosed = false
    private(set) var readCount = 0
    /// Whether the peer currently receives no data.
    private(set) var isBlocked = false
    /// Whether the connection fails at the next flush.
    var diesOnFlush = false
    var isInputClosed = false
    private var unflushed: [(ByteBuffer, EventLoopPromise<Void>?)] = []
    private var pending: [(ByteBuffer, EventLoopPromise<Void>?)] = []
    private var whenWritten: EventLoopPromise<Void>?
    private var closesOutput = false

    /// Whether there are written bytes that are neither flushed nor lost.
    var hasUnflushed: Bool { !self.unflushed.isEmpty }

    func write(
        context: ChannelHandlerContext,
        data: NIOAny,
        promise: EventLoopPromise<Void>?
    ) {
        guard !self.isClosed, !self.isOutputClosed, !self.closesOutput else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        self.unflushed.append((self.unwrapOutboundIn(data), promise))
    }

    func flush(context: ChannelHandlerContext) {
        guard !self.diesOnFlush || self.unflushed.isEmpty else {
            // As in NIO, the channel is inactive before `flush` returns.
            return self.close(context: context, mode: .all, promise: nil)
        }
        self.pending += self.unflushed
        self.unflushed = []
        self.deliver()
    }

    func read(context: ChannelHandlerContext) {
        self.readCount += 1
    }

    func close(
        context: ChannelHandlerContext,
        mode: CloseMode,
        promise: EventLoopPromise<Void>?
    ) {
        if mode == .output, !self.isInputClosed, !self.isClosed {
            self.closesOutput = true
            self.whenWritten = promise
            self.deliver()
            return
        }
        let lost = self.pending + self.unflushed
        self.pending = []
        self.unflushed = []
        self.isClosed = true
        for (_, written) in lost { written?.fail(ChannelError.ioOnClosedChannel) }
        context.close(mode: .all, promise: promise)
    }

    /// Makes the peer receive no data until `unblock()`.
    func block() {
        self.isBlocked = true
    }

    func unblock() {
        self.isBlocked = false
        self.deliver()
    }

    private func deliver() {
        guard !self.isBlocked else { return }
        let delivered = self.pending
        self.pending = []
        for (bytes, promise) in delivered {
            self.sent += String(buffer: bytes)
            self.sentBytes += bytes.readableBytesView
            promise?.succeed()
        }
        guard self.closesOutput, !self.isOutputClosed else { return }
        self.isOutputClosed = true
        self.whenWritten?.succeed()
    }

    /// Returns the bytes received since the last call, as text.
    func takeSent() -> String {
        defer { self.clear() }
        return self.sent
    }

    /// Returns the bytes received since the last call, which may be invalid UTF-8.
    func takeBytes() -> [UInt8] {
        defer { self.clear() }
        return self.sentBytes
    }

    private func clear() {
        self.sent = ""
        self.sentBytes = []
    }
}

/// One connection of the gate, with control over the peer.
struct Wire<Handler: ChannelInboundHandler & ChannelOutboundHandler> {
    let channel: EmbeddedChannel
    let socket: FakeSocket
    let handler: Handler

    init(_ handler: Handler, loop: EmbeddedEventLoop) throws {
        self.handler = handler
        self.socket = FakeSocket()
        self.channel = EmbeddedChannel(handlers: [self.socket, handler], loop: loop)
        let address = try SocketAddress(ipAddress: "203.0.113.5", port: 1)
        self.channel.connect(to: address, promise: nil)
    }

    func receive(_ text: String) throws {
        try self.channel.writeInbound(ByteBuffer(string: text))
    }

    /// Closes the peer's side.
    func endInput() {
        self.socket.isInputClosed = true
        self.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    /// Disconnects the peer.
    func disconnect() {
        self.channel.close(promise: nil)
    }

    /// Makes the channel unwritable.
    func stall() {
        self.channel.isWritable = false
        self.channel.pipeline.fireChannelWritabilityChanged()
    }

    func resume() {
        self.channel.isWritable = true
        self.channel.pipeline.fireChannelWritabilityChanged()
    }
}

/// The lines written by an access log.
final class AccessLogLines {
    var text = ""
}

/// A monotonic clock that only the test advances.
final class ManualUptime {
    var now = NIODeadline.now()
}

/// A worker with embedded channels instead of sockets, driven by the test.
struct Stage {
    let loop: EmbeddedEventLoop
    /// The clock for dates in the rules.
    let clock = WallClock()
    let worker: Worker

    /// `minimum`: the oldest version that is allowed, unless there is a `ruleSet`; `backends`: the reachable backends; `uptime`:
    /// the clock for timeouts.
    init(
        minimum: String = "2.0",
        answer: AnswerStyle = .standard,
        ruleSet: RuleSet? = nil,
        loop: EmbeddedEventLoop = EmbeddedEventLoop(),
        backends: FakeBackends? = nil,
        accessLog: AccessLogLines? = nil,
        uptime: ManualUptime? = nil,
        _ configure: (inout GateSettings) -> Void = { _ in }
    ) throws {
        self.loop = loop
        var settings = GateSettings(
            listen: Endpoint(host: "127.0.0.1", port: 0),
            upstream: UpstreamSettings(Endpoint(host: "192.0.2.1", port: 80))
        )
        configure(&settings)
        self.worker = Worker(
            eventLoop: self.loop,
            settings: settings,
            ruleSet: try ruleSet ?? Self.ruleSet(minimum: minimum, answer: answer),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            wallClock: { [clock] in clock.now },
            uptime: uptime.map { uptime in { uptime.now } },
            accessLog: accessLog.map { lines in { lines.text += $0.text(from: 0, to: $0.count) } },
            connect: backends.map { backends in { backends.connect(to: $0, speaking: $1) } }
        )
    }

    /// Advances the clock, and runs the next tick of the worker.
    func tick(after seconds: Int64 = 0) {
        self.clock.seconds += seconds
        self.loop.advanceTime(by: LoopContext.tickInterval)
    }

    static func ruleSet(
        minimum: String,
        answer: AnswerStyle = .standard
    ) throws -> RuleSet {
        RuleSet(
            RuleSetDefinition(
                revision: minimum,
                rules: [RuleDefinition(id: "floor", minimum: try AppVersion(parsing: minimum))],
                answer: answer
            )
        )
    }

    func client() throws -> Wire<ClientConnection> {
        let origin = ClientAddress(
            try SocketAddress(ipAddress: "203.0.113.5", port: 1),
            trusted: .none
        )
        return try Wire(
            ClientConnection(clients: self.worker.clients, origin: origin),
            loop: self.loop
        )
    }

    /// A connection of a gateway that asks for decisions.
    func gateway() throws -> Wire<ClientConnection> {
        let origin = ClientAddress(gateway: try SocketAddress(ipAddress: "192.0.2.7", port: 1))
        return try Wire(
            ClientConnection(clients: self.worker.clients, origin: origin),
            loop: self.loop
        )
    }

    /// Adds a backend connection to the pool.
    func upstream() throws -> Wire<UpstreamConnection> {
        let connection = UpstreamConnection(limits: .defaults)
        let member = try #require(self.worker.clients.pool.next(at: self.worker.loop.now)).member
        connection.member = member
        let wire = try Wire(connection, loop: self.loop)
        member.keep(connection, at: self.worker.loop.now)
        return wire
    }

    /// The idle connection that the pool would use next.
    var idle: UpstreamConnection? {
        guard let member = self.worker.clients.pool.next(at: self.worker.loop.now)?.member,
            let connection = member.take()
        else { return nil }
        member.keep(connection, at: self.worker.loop.now)
        return connection
    }
}

/// Requests and responses that many tests use.
enum Message {
    static let get = wire("GET /a HTTP/1.1", "Host: a", "X-App-Version: 3")
    static let second = wire("GET /second HTTP/1.1", "Host: a", "X-App-Version: 3")
    static let outdated = wire("GET /a HTTP/1.1", "Host: a", "X-App-Version: 1")
    static let ok = wire("HTTP/1.1 200 OK", "Content-Length: 2") + "ok"
}
