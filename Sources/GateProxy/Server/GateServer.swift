package import GateCensus
package import GatePolicy
package import Logging
package import NIOCore
import NIOPosix
import Synchronization

/// The data plane: the listeners, and a `Worker` for each event loop.
package final class GateServer: Sendable {
    private let settings: GateSettings
    private let logger: Logger
    private let group: MultiThreadedEventLoopGroup
    private let workers: [NIOLoopBound<Worker>]
    private let listeners: ListenerSet
    private let parkedPoller: ParkedConnectionPoller?
    private let names: NIOLoopBound<UpstreamNames>?
    /// Whether the event loops are about to end; tasks submitted to an ended event loop never complete.
    private let isEnding = Mutex(false)
    /// The final census data of the event loops, collected before they end.
    private let lastCensus = Mutex<[CensusHarvest]>([])
    private let isStopping = Mutex(false)

    /// The address that clients connect to, with the actual port if 0 was configured.
    ///
    /// `nil` if the gate serves only gateways.
    package var clientAddress: SocketAddress? { self.listeners.clientAddress }
    /// The address for authorization requests from gateways, or `nil` if there is none.
    package var gatewayAddress: SocketAddress? { self.listeners.gatewayAddress }
    /// The second address for clients, for TLS connections only, or `nil` if there is none.
    package var tlsAddress: SocketAddress? { self.listeners.tlsAddress }

    private init(
        settings: GateSettings,
        logger: Logger,
        group: MultiThreadedEventLoopGroup,
        workers: [NIOLoopBound<Worker>],
        listeners: ListenerSet,
        parkedPoller: ParkedConnectionPoller?,
        names: NIOLoopBound<UpstreamNames>?
    ) {
        self.settings = settings
        self.logger = logger
        self.group = group
        self.workers = workers
        self.listeners = listeners
        self.parkedPoller = parkedPoller
        self.names = names
    }

    /// Starts the event loops and the listeners.
    ///
    /// `tls` contains the certificates and keys from the files in the settings, if any. `log`
    /// receives the access log, if it is enabled. `inherited` contains listening sockets to use
    /// instead of those in the settings. `lookup` is the system's resolver, or a replacement.
    ///
    /// - Throws: The reason why the gate cannot listen on an address.
    package static func start(
        settings: GateSettings,
        ruleSet: RuleSet,
        tls: ServerTLS? = nil,
        logger: Logger,
        log: LogWriter? = nil,
        inherited: InheritedListeners = .none,
        lookup: @escaping AddressLookup.Function = AddressLookup.addresses
    ) async throws -> GateServer {
        let parkedPoller = try settings.parkAfter.map { _ in try ParkedConnectionPoller() }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: settings.threads)
        let addressLimit = settings.maxConnectionsPerAddress.map(AddressLimit.init(limit:))
        let discardBudget = DiscardBudget(settings.discardLimits)
        let untrustedProxy =
            settings.trustedProxies == .none ? UntrustedProxyNotice(logger) : nil
        var workers: [NIOLoopBound<Worker>] = []
        var stores: [NIOLoopBound<ParkedConnectionStore>] = []
        for (index, eventLoop) in group.makeIterator().enumerated() {
            let (worker, store) = try await eventLoop.submit {
                let worker = Worker(
                    eventLoop: eventLoop,
                    settings: settings,
                    ruleSet: ruleSet,
                    logger: logger,
                    addressLimit: addressLimit,
                    discardBudget: discardBudget,
                    untrustedProxy: untrustedProxy,
                    accessLog: log.map { log in { log.writeAccessLines($0) } }
                )
                worker.clients.tls = tls
                if let parkedPoller, let idleTime = settings.parkAfter {
                    worker.openParkedConnections(
                        index: index,
                        watch: parkedPoller,
                        idleTime: idleTime
                    )
                }
                worker.start()
                return (
                    NIOLoopBound(worker, eventLoop: eventLoop),
                    worker.parkedConnections.map { NIOLoopBound($0, eventLoop: eventLoop) }
                )
            }.get()
            workers.append(worker)
            if let store { stores.append(store) }
        }
        parkedPoller?.start(stores)
        let names = try await UpstreamNames.start(
            settings.upstream,
            on: group.next(),
            lookup: lookup,
            atMost: settings.timeouts.connect,
            logger: logger
        ) { [workers] addresses in
            for worker in workers {
                worker.eventLoop.execute { worker.value.clients.pools.use(addresses) }
            }
        }
        do {
            let listeners = try await ListenerSet(
                settings,
                inherited: inherited,
                hasTLS: tls != nil
            ) { peers in
                self.bootstrap(peers, group: group, workers: workers)
            }
            let backends =
                try await names?.eventLoop.submit { names?.value.addresses }.get()
                ?? UpstreamDirectory(settings.upstream.allTargets).addresses
            let loop = UpstreamLoop(
                among: backends,
                listeners: listeners.addresses,
                interfaces: try System.enumerateDevices().compactMap(\.address)
            )
            if let loop {
                await listeners.close([])
                throw loop
            }
            return GateServer(
                settings: settings,
                logger: logger,
                group: group,
                workers: workers,
                listeners: listeners,
                parkedPoller: parkedPoller,
                names: names
            )
        } catch {
            await parkedPoller?.stop()
            try? await names?.eventLoop.submit { names?.value.stop() }.get()
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private static func bootstrap(
        _ peers: PeerKind,
        group: MultiThreadedEventLoopGroup,
        workers: [NIOLoopBound<Worker>]
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let worker = try self.worker(on: channel.eventLoop, of: workers)
                    let watch = AcceptWatch(for: .client) { error in
                        worker.loop.refused(.accept, ["error": "\(error)"])
                    }
                    try channel.pipeline.syncOperations.addHandler(watch)
                }
            }
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ClientPipeline.begin(
                        on: channel,
                        clients: self.worker(on: channel.eventLoop, of: workers).clients,
                        peers: peers
                    )
                }
            }
    }

    private static func worker(
        on eventLoop: any EventLoop,
        of workers: [NIOLoopBound<Worker>]
    ) throws -> Worker {
        guard let worker = workers.first(where: { $0.eventLoop === eventLoop })
        else { throw ChannelError.inappropriateOperationForState }
        return worker.value
    }

    /// Replaces the rule set that new requests are evaluated against.
    ///
    /// Returns once all event loops use it, or when the gate ends.
    package func use(_ ruleSet: RuleSet) async {
        await self.onEachEventLoop { $0.use(ruleSet) }
    }

    /// Records the time at which a feed confirmed its data, so that the age of the data can be reported.
    package func confirm(_ feed: String, at time: Timestamp) async {
        await self.onEachEventLoop { $0.loop.confirmedAt[feed] = time }
    }

    /// Replaces the certificates used for new connections.
    package func use(_ tls: ServerTLS) async {
        await self.onEachEventLoop { $0.clients.tls = tls }
    }

    /// Returns the total statistics of all event loops.
    ///
    /// `nil` if the event loops are about to end, because their counters end with them.
    package func statistics() async -> GateStatistics? {
        var sum = GateStatistics()
        for worker in self.workers {
            guard !self.isEnding.withLock({ $0 }),
                let part = try? await worker.eventLoop.submit({ worker.value.statistics }).get()
            else { return nil }
            sum.add(part)
        }
        return sum
    }

    /// Returns the census data collected since the last call, with an element for each event loop.
    ///
    /// Once the event loops are about to end, this is their final data.
    package func takeCensus() async -> [CensusHarvest] {
        guard !self.isEnding.withLock({ $0 }) else {
            return self.lastCensus.withLock { last in
                defer { last = [] }
                return last
            }
        }
        var harvests: [CensusHarvest] = []
        for worker in self.workers {
            let harvest = try? await worker.eventLoop.submit { worker.value.loop.census?.take() }
                .get()
            if let harvest = harvest ?? nil { harvests.append(harvest) }
        }
        return harvests
    }

    /// Sets whether the census distinguishes clients by address.
    package func tellClients(_ tells: Bool) async {
        await self.onEachEventLoop { $0.loop.census?.countsClients = tells }
    }

    /// Runs a task on each event loop, one after the other, until the event loops are about to end.
    private func onEachEventLoop(_ task: @escaping @Sendable (Worker) -> Void) async {
        for worker in self.workers where !self.isEnding.withLock({ $0 }) {
            try? await worker.eventLoop.submit { task(worker.value) }.get()
        }
    }

    /// Whether clients should connect: `false` once shutdown has been requested.
    package var isReady: Bool { !self.isStopping.withLock { $0 } }

    /// Reports the gate as not ready, but keeps serving for `drainDelay`, so that load balancers
    /// can notice the change.
    package func leave() async {
        self.isStopping.withLock { $0 = true }
        guard self.settings.drainDelay > .zero else { return }
        await self.onEachEventLoop { $0.loop.isLeaving = true }
        let delay = Duration.nanoseconds(self.settings.drainDelay.nanoseconds)
        self.logger.info("no longer ready", metadata: ["drain_delay": "\(delay)"])
        try? await Task.sleep(for: delay)
    }

    /// Stops listening, lets exchanges complete, and closes the remaining connections.
    ///
    /// `timeout` is the time that exchanges have to complete. WebSockets, which do not end on their own, receive a
    /// close frame shortly before the timeout expires.
    ///
    /// - Returns: Whether all exchanges completed.
    package func shutDown(timeout: TimeAmount) async -> Bool {
        self.isStopping.withLock { $0 = true }
        await self.listeners.close(self.workers.map(\.eventLoop))
        let grace = self.listeners.drainGrace
        let drained = self.workers.map { worker in
            worker.eventLoop.flatSubmit { worker.value.drain(grace: grace) }
        }
        let all = EventLoopFuture.andAllSucceed(drained, on: self.group.next())
        let goodbye = Swift.min(Self.goodbyeTime, .nanoseconds(timeout.nanoseconds / 2))
        var inTime = await self.wait(for: all, atMost: timeout - goodbye)
        if !inTime {
            let told = await self.closeWebSockets()
            // A connection that received a close frame did not complete on its own.
            inTime = await self.wait(for: all, atMost: goodbye) && told == 0
        }
        let census = await self.takeCensus()
        self.lastCensus.withLock { $0 += census }
        self.isEnding.withLock { $0 = true }
        for worker in self.workers {
            try? await worker.eventLoop.submit { worker.value.closeAll() }.get()
        }
        await self.parkedPoller?.stop()
        try? await self.names?.eventLoop.submit { self.names?.value.stop() }.get()
        try? await self.group.shutdownGracefully()
        return inTime
    }

    /// The time for peers to respond to the close frame of a WebSocket.
    private static let goodbyeTime = TimeAmount.seconds(1)

    private func closeWebSockets() async -> Int {
        var count = 0
        for worker in self.workers {
            let told = try? await worker.eventLoop.submit { worker.value.clients.closeWebSockets() }
                .get()
            count += told ?? 0
        }
        return count
    }

    /// Returns once a listener is closed, for any reason.
    package func waitUntilListenerClosed() async {
        await self.listeners.waitUntilClosed()
    }

    /// Returns whether every event loop runs a task within the time limit.
    package func isResponsive(within limit: TimeAmount) async -> Bool {
        let watch = MultiThreadedEventLoopGroup.singleton.next()
        return (try? await self.isResponsive(within: limit, on: watch).get()) ?? false
    }

    /// Returns whether every event loop runs a task within the time limit, without using a thread
    /// of the concurrency runtime.
    ///
    /// `watch` must be a separate event loop, because the gate's own event loops might not respond.
    package func isResponsive(
        within limit: TimeAmount,
        on watch: any EventLoop
    ) -> EventLoopFuture<Bool> {
        let turns = self.workers.map { $0.eventLoop.submit {} }
        return EventLoopFuture.andAllSucceed(turns, on: watch).completes(within: limit)
    }

    private func wait(for future: EventLoopFuture<Void>, atMost timeout: TimeAmount) async -> Bool {
        (try? await future.completes(within: timeout).get()) ?? false
    }
}
