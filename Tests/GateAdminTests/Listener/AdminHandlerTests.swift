import GateControl
import GateFeeds
import GateRules
import GateSystem
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import RulesTestSupport
import Testing

@testable import GateAdmin

/// Clients that do not read their responses, tested without sockets.
struct AdminHandlerTests {
    /// A socket whose send buffer is full: writes do not complete until `drain` is called.
    private final class FullSocket: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        typealias OutboundOut = HTTPServerResponsePart

        var isFull = true
        private var held: [EventLoopPromise<Void>] = []

        func write(
            context: ChannelHandlerContext,
            data: NIOAny,
            promise: EventLoopPromise<Void>?
        ) {
            guard self.isFull, let promise else {
                return context.write(data, promise: promise)
            }
            self.held.append(promise)
            context.write(data, promise: nil)
        }

        /// Completes the pending writes, as if the client had read them.
        func drain() {
            let held = self.held
            self.held = []
            for promise in held { promise.succeed() }
        }

        func close(
            context: ChannelHandlerContext,
            mode: CloseMode,
            promise: EventLoopPromise<Void>?
        ) {
            let held = self.held
            self.held = []
            for promise in held { promise.fail(ChannelError.ioOnClosedChannel) }
            context.close(mode: mode, promise: promise)
        }
    }

    private struct Client {
        let channel: EmbeddedChannel
        let socket: FullSocket

        func ask(_ target: String) throws {
            let head = HTTPRequestHead(
                version: .http1_1,
                method: .GET,
                uri: target,
                headers: ["Host": "localhost"]
            )
            try self.channel.writeInbound(HTTPServerRequestPart.head(head))
            try self.channel.writeInbound(HTTPServerRequestPart.end(nil))
        }

        /// Returns the statuses of the responses started since the last call.
        func statuses() throws -> [UInt] {
            var statuses: [UInt] = []
            while let part = try self.channel.readOutbound(as: HTTPServerResponsePart.self) {
                if case .head(let head) = part { statuses.append(head.status.code) }
            }
            return statuses
        }
    }

    private let loop = EmbeddedEventLoop()
    private let limits: AdminLimits
    private let endpoints: AdminEndpoints
    private let connections: AdminConnections
    private let hub: AdminEventHub

    init() {
        var limits = AdminLimits()
        limits.sending = 1
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let reloader = RulesReloader(
            loader: RulesFileLoader(path: "/nowhere"),
            logger: logger
        ) { _ in }
        self.endpoints = AdminEndpoints(
            reloader: reloader,
            coordinator: FeedCoordinator(reloader: reloader, store: nil, logger: logger),
            hooks: FeedHooks(logger: logger),
            now: SystemClock.now
        )
        self.limits = limits
        self.connections = AdminConnections(limits, logger: logger) { .now() }
        self.hub = AdminEventHub(self.endpoints, on: self.loop, interval: .hours(1), limit: 1)
    }

    private func client() throws -> Client {
        let client = Client(channel: EmbeddedChannel(loop: self.loop), socket: FullSocket())
        let closing = DrainingCloseHandler()
        try client.channel.pipeline.syncOperations.addHandlers([
            client.socket, HTTPServerPipelineHandler(),
            AdminHandler(
                self.endpoints,
                self.hub,
                self.connections,
                closing,
                limits: self.limits,
                hosts: AdminHosts(nil, listeningOn: nil),
                tokens: nil,
                channel: client.channel
            ),
        ])
        try client.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return client
    }

    @Test func `the oldest connection with an unread response is closed`() throws {
        let clients = [try self.client(), try self.client()]
        try clients[0].ask("/-/ready")
        self.loop.run()
        #expect(try clients[0].statuses() == [200])
        #expect(clients[0].channel.isActive)
        // A response that is read at once does not occupy a slot.
        let quick = try self.client()
        quick.socket.isFull = false
        try quick.ask("/-/ready")
        self.loop.run()
        #expect(clients[0].channel.isActive)
        try clients[1].ask("/-/ready")
        self.loop.run()
        #expect(!clients[0].channel.isActive)
        #expect(clients[1].channel.isActive)
        #expect(try quick.statuses() == [200])
    }

    @Test func `the next pipelined request waits until the response is read`() throws {
        let client = try self.client()
        for _ in 0..<3 { try client.ask("/-/ready") }
        for _ in 0..<3 {
            self.loop.run()
            #expect(try client.statuses() == [200])
            self.loop.run()
            #expect(try client.statuses() == [])
            client.socket.drain()
        }
        self.loop.run()
        #expect(try client.statuses() == [])
    }

    @Test func `a long pipeline with responses that are read at once completes`() throws {
        let client = try self.client()
        client.socket.isFull = false
        for _ in 0..<5_000 { try client.ask("/-/ready") }
        self.loop.run()
        #expect(try client.statuses().count == 5_000)
    }
}
