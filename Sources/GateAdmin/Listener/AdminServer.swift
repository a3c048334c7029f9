internal import GateProxy
private import Glibc
package import Logging
package import NIOCore
private import NIOHTTP1
private import NIOPosix

/// The operator's side: a listener of its own, on a thread of its own, so that nothing that is asked
/// there costs a client anything.
package final class AdminServer: Sendable {
    /// The place that it listens on.
    package enum Place: Sendable {
        /// `sharesPort`: another process may listen there, too, to take over (SO_REUSEPORT).
        case address(host: String, port: Int, sharesPort: Bool)
        /// On sockets that listen already.
        case sockets([CInt])
    }

    private let group: MultiThreadedEventLoopGroup
    private let channels: [any Channel]
    private let hasSuccessor: Bool

    /// The address that it listens on; the port is the real one if 0 was asked for.
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

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - place: Where operators connect.
    ///   - endpoints: What answers them.
    ///   - token: The tokens of which they must show one; `nil` to require none, on loopback alone.
    ///   - limits: The most that clients may take of it.
    ///   - logger: Gets warnings.
    /// - Returns: The listener, which answers already.
    /// - Throws: What the system says if the place cannot be listened on, and `AdminTokenError` if other
    ///   machines could reach it without a token.
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
            if token == nil, let address = addresses.first(where: { !$0.isOfThisMachineAlone }) {
                throw AdminTokenError(
                    "other machines can reach \(Endpoint(address)): --admin-token-file is needed"
                )
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
        // All on the one loop that there is.
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
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let watch = AcceptWatch(
                        for: .operator,
                        closeSpareConnection: { connections.value.closeSpare() }
                    ) { error in
                        logger.warning("cannot accept operators", metadata: ["error": "\(error)"])
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
                    // The handler answers nonsense itself, as it answers everything else.
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

    /// Leaves newcomers to the process that takes over, if there is to be one; otherwise it goes on.
    package func makeWay() async {
        guard self.hasSuccessor else { return }
        for channel in self.channels { try? await channel.close() }
    }

    /// Ends it, with every connection.
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
