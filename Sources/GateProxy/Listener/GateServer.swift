package import GatePolicy
package import Logging
package import NIOCore
import NIOPosix

/// The data plane: listens, and keeps one `Worker` on each event loop.
package final class GateServer: Sendable {
    private let settings: GateSettings
    private let logger: Logger
    private let group: MultiThreadedEventLoopGroup
    private let workers: [NIOLoopBound<Worker>]
    private let listener: any Channel

    /// Where clients connect; the port is the real one if 0 was asked for.
    package let address: SocketAddress

    private init(
        settings: GateSettings,
        logger: Logger,
        group: MultiThreadedEventLoopGroup,
        workers: [NIOLoopBound<Worker>],
        listener: any Channel,
        address: SocketAddress
    ) {
        self.settings = settings
        self.logger = logger
        self.group = group
        self.workers = workers
        self.listener = listener
        self.address = address
    }

    /// Starts listening.
    ///
    /// - Throws: what the system says if the address cannot be listened on.
    package static func start(
        settings: GateSettings,
        ruleSet: RuleSet,
        logger: Logger
    ) async throws -> GateServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: settings.threads)
        var workers: [NIOLoopBound<Worker>] = []
        for eventLoop in group.makeIterator() {
            let worker = try await eventLoop.submit {
                let worker = Worker(
                    eventLoop: eventLoop,
                    settings: settings,
                    ruleSet: ruleSet,
                    logger: logger
                )
                worker.start()
                return NIOLoopBound(worker, eventLoop: eventLoop)
            }.get()
            workers.append(worker)
        }
        do {
            let listener = try await self.listen(settings, group: group, workers: workers)
            guard let address = listener.localAddress else {
                throw ChannelError.unknownLocalAddress
            }
            return GateServer(
                settings: settings,
                logger: logger,
                group: group,
                workers: workers,
                listener: listener,
                address: address
            )
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func listen(
        _ settings: GateSettings,
        group: MultiThreadedEventLoopGroup,
        workers: [NIOLoopBound<Worker>]
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let worker = workers.first(where: { $0.eventLoop === channel.eventLoop })
                    else { throw ChannelError.inappropriateOperationForState }
                    let origin = ClientOrigin(
                        channel.remoteAddress,
                        trusted: settings.trustedProxies
                    )
                    try channel.pipeline.syncOperations.addHandler(
                        ClientConnection(worker: worker.value, origin: origin)
                    )
                }
            }
            .bind(host: settings.listen.host, port: settings.listen.port)
            .get()
    }

    /// Judges every request from now on by another rule set; returns when all loops do.
    package func use(_ ruleSet: RuleSet) async {
        for worker in self.workers {
            try? await worker.eventLoop.submit { worker.value.use(ruleSet) }.get()
        }
    }

    /// The counters of all loops together.
    package func counters() async -> GateCounters {
        var sum = GateCounters()
        for worker in self.workers {
            let counters = try? await worker.eventLoop.submit { worker.value.counters }.get()
            sum = sum + (counters ?? GateCounters())
        }
        return sum
    }

    /// Stops listening, lets exchanges come to their end, and closes what is left at the deadline.
    ///
    /// `timeout`: how long exchanges may take.
    /// - Returns: whether every exchange came to its end.
    package func shutDown(timeout: TimeAmount) async -> Bool {
        try? await self.listener.close()
        let drained = self.workers.map { worker in
            worker.eventLoop.flatSubmit { worker.value.drain() }
        }
        let all = EventLoopFuture.andAllSucceed(drained, on: self.group.next())
        let inTime = await self.wait(for: all, atMost: timeout)
        for worker in self.workers {
            try? await worker.eventLoop.submit { worker.value.closeAll() }.get()
        }
        try? await self.group.shutdownGracefully()
        return inTime
    }

    private func wait(for future: EventLoopFuture<Void>, atMost timeout: TimeAmount) async -> Bool {
        let eventLoop = future.eventLoop
        let first = eventLoop.makePromise(of: Bool.self)
        let timer = eventLoop.scheduleTask(in: timeout) { first.succeed(false) }
        future.whenComplete { _ in
            timer.cancel()
            first.succeed(true)
        }
        return (try? await first.futureResult.get()) ?? false
    }
}
