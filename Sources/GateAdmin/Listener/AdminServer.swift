internal import GateProxy
private import Glibc
package import Logging
package import NIOCore
private import NIOHTTP1
private import NIOPosix

/// The server for operators, with its own listener and event loop, so that requests from operators do not delay
/// requests from clients.
package final class AdminServer: Sendable {
    /// The address or inherited sockets to listen on.
    package enum Place: Sendable {
        /// An address to listen on.
        ///
        /// `sharesPort` indicates whether another process may listen on the same address to take over
        /// (SO_REUSEPORT).
        case address(host: String, port: Int, sharesPort: Bool)
        /// Inherited sockets that are already listening.
        case sockets([CInt])
    }

    private let group: MultiThreadedEventLoopGroup
    private let channels: [any Channel]
    private let hasSuccessor: Bool

    /// The local address, with the actual port if port 0 was configured.
    package let address: SocketAddress

    private init(
        _ group: MultiThreadedEventLoopGroup,
        _ channels: [any Channel],
        hasSuccessor: Bool
    ) throws {
        guard let address = channels.first?.localAddress else {
            throw ChannelError.unknownLocalAddress
        }
        self.group = group
        self.channels = channels
        self.hasSuccessor = hasSuccessor
        self.address = address
    }

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - place: The address or inherited sockets to listen on.
    ///   - endpoints: The endpoints to serve.
    ///   - token: The accepted tokens; `nil` to require none, which is only allowed on loopback
    ///     addresses.
    ///   - limits: The limits for connections and requests.
    ///   - logger: The logger for warnings.
    /// - Returns: The server, which is already accepting connections.
    /// - Throws: The system's error if the server cannot listen on `place`, and `AdminTokenError` if
    ///   other machines could connect without a token.
    package static func start(
        on place: Place,
        endpoints: AdminEndpoints,
        token: AdminTokenFile? = nil,
        limits: AdminLimits = .defaults,
        logger: Logger
    ) async throws -> AdminServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let bootstrap = self.bootstrap(group, place, endpoints, token, limits, logger)
            let server: AdminServer
            switch place {
            case .address(let host, let port, let sharesPort):
                let channel = try await bootstrap.serverChannelOption(
                    .socketOption(NIOBSDSocket.Option(rawValue: SO_REUSEPORT)),
                    value: sharesPort ? 1 : 0
                ).bind(host: host, port: port).get()
                server = try AdminServer(group, [channel], hasSuccessor: sharesPort)
            case .sockets(let sockets):
                var channels: [any Channel] = []
                for socket in sockets {
                    channels.append(try await bootstrap.withBoundSocket(socket).get())
                }
                server = try AdminServer(group, channels, hasSuccessor: true)
            }
            let addresses = server.channels.compactMap(\.localAddress)
            if token == nil, let address = addresses.first(where: { !$0.isLoopbackOnly }) {
                throw AdminTokenError(
                    "other machines can reach \(Endpoint(address)): --admin-token-file is required"
                )
            }
            for channel in server.channels {
                try await channel.setOption(.autoRead, value: true).get()
            }
            return server
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func bootstrap(
        _ group: MultiThreadedEventLoopGroup,
        _ place: Place,
        _ endpoints: AdminEndpoints,
        _ token: AdminTokenFile?,
        _ limits: AdminLimits,
        _ logger: Logger
    ) -> ServerBootstrap {
        // All connections share a single event loop.
        let eventLoop = group.next()
        let connections = NIOLoopBoundBox.makeBoxSendingValue(
            AdminConnections(limits, logger: logger) { eventLoop.now },
            eventLoop: eventLoop
        )
        let hub = NIOLoopBoundBox.makeBoxSendingValue(
            AdminEventHub(
                endpoints,
                on: eventLoop,
                interval: limits.eventInterval,
                limit: limits.streams
            ),
            eventLoop: eventLoop
        )
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = limits.headBytes
        decoding.maxHeaderListSize = limits.headBytes
        decoding.maxHeaderFieldCount = limits.headerCount
        return ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: limits.backlog)
            // No connection is accepted before the addresses are checked.
            .serverChannelOption(.autoRead, value: false)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let watch = AcceptWatch(
                        for: .operator,
                        closeSpareConnection: { connections.value.closeSpare() }
                    ) { error in
                        logger.warning(
                            "admin listener: cannot accept connections",
                            metadata: ["error": "\(error)"]
                        )
                    }
                    try channel.pipeline.syncOperations.addHandler(watch)
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { [decoding] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let closing = DrainingCloseHandler()
                    try pipeline.addHandler(closing)
                    // `AdminHandler` responds to invalid requests itself.
                    try pipeline.configureHTTPServerPipeline(
                        withErrorHandling: false,
                        withEncoderConfiguration: .init(),
                        withDecoderLimitConfiguration: decoding
                    )
                    let listener = channel.parent?.localAddress
                    try pipeline.addHandler(
                        AdminHandler(
                            endpoints,
                            hub.value,
                            connections.value,
                            closing,
                            limits: limits,
                            hosts: AdminHosts(listener, listeningOn: place.host),
                            tokens: token,
                            channel: channel
                        )
                    )
                }
            }
    }

    /// Stops listening if another process may take over the address; otherwise keeps listening.
    package func closeListenerForSuccessor() async {
        guard self.hasSuccessor else { return }
        for channel in self.channels { try? await channel.close() }
    }

    /// Shuts the server down and closes all connections.
    package func shutDown() async {
        try? await self.group.shutdownGracefully()
    }
}

extension AdminServer.Place: CustomStringConvertible {
    fileprivate var host: String? {
        switch self {
        case .address(let host, _, _): host
        case .sockets: nil
        }
    }

    package var description: String {
        switch self {
        case .address(let host, let port, _): "\(Endpoint(host: host, port: port))"
        case .sockets: "inherited"
        }
    }
}
