package import GateCensus
package import GatePolicy
package import Logging
package import NIOCore
import NIOPosix
import Synchronization

/// The data plane: listens, and keeps one `Worker` on each event loop.
package final class GateServer: Sendable {
    private let settings: GateSettings
    private let logger: Logger
    private let group: MultiThreadedEventLoopGroup
    private let workers: [NIOLoopBound<Worker>]
    private let listeners: ListenerSet
    private let parkedPoller: ParkedConnectionPoller?
    private let names: NIOLoopBound<UpstreamNames>?
    /// Whether the loops are about to end: one that has ended never answers.
    private let isEnding = Mutex(false)
    /// The last counts of the event loops, when they ended.
    private let lastCensus = Mutex<[CensusHarvest]>([])
    private let isStopping = Mutex(false)

    /// The address that clients connect to; the port is the real one if 0 was asked for.
    package var address: SocketAddress { self.listeners.address }
    /// The second address, for TLS alone, if there is one.
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

    /// Starts listening.
    ///
    /// `tls`: what the settings' files hold, if they name any. `log`: takes the access log, if the
    /// settings want one. `inherited`: sockets that listen already and are taken over in place of
    /// `listen`.
    /// - Throws: what the system says if an address cannot be listened on.
    package static func start(
        settings: GateSettings,
        ruleSet: RuleSet,
        tls: ServerTLS? = nil,
        logger: Logger,
        log: LogWriter? = nil,
        inherited: [CInt] = []
    ) async throws -> GateServer {
        try await self.start(
            settings: settings,
            ruleSet: ruleSet,
            tls: tls,
            logger: logger,
            log: log,
            inherited: inherited,
            lookup: AddressLookup.addresses
        )
    }

    /// `lookup`: what stands in for the system's resolver.
    static func start(
        settings: GateSettings,
        ruleSet: RuleSet,
        tls: ServerTLS? = nil,
        logger: Logger,
        log: LogWriter? = nil,
        inherited: [CInt] = [],
        lookup: @escaping UpstreamNames.Lookup
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
                worker.eventLoop.execute { worker.value.clients.pool.use(addresses) }
            }
        }
        do {
            let listeners = try await ListenerSet(
                settings,
                inherited: inherited,
                hasTLS: tls != nil
            ) { isSecure in
                self.bootstrap(isSecure: isSecure, group: group, workers: workers)
            }
            let backends =
                try await names?.eventLoop.submit { names?.value.addresses }.get()
                ?? UpstreamDirectory(settings.upstream.targets).addresses
            let loop = UpstreamLoop(
                among: backends,
                listeners: [listeners.address, listeners.tlsAddress].compactMap(\.self),
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
        isSecure: Bool,
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
                        isSecure: isSecure
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

    /// Judges every request from now on by another rule set; returns when all loops do, or when the
    /// gate ends and there is nothing more to judge.
    package func use(_ ruleSet: RuleSet) async {
        for worker in self.workers where !self.isEnding.withLock({ $0 }) {
            try? await worker.eventLoop.submit { worker.value.use(ruleSet) }.get()
        }
    }

    /// Notes when a feed said that what it says is true, for those who ask how old it is.
    package func confirm(_ feed: String, at time: Timestamp) async {
        for worker in self.workers where !self.isEnding.withLock({ $0 }) {
            try? await worker.eventLoop.submit { worker.value.loop.confirmedAt[feed] = time }.get()
        }
    }

    /// Shows other certificates to clients that connect from now on.
    package func use(_ tls: ServerTLS) async {
        for worker in self.workers where !self.isEnding.withLock({ $0 }) {
            try? await worker.eventLoop.submit { worker.value.clients.tls = tls }.get()
        }
    }

    /// Everything that is counted, of all loops together; `nil` when the loops end, and with them what
    /// they have counted.
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

    /// The clients that were counted since this was last asked, by event loop.
    ///
    /// When the loops have ended, it is what they had left.
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

    /// Has the event loops tell clients apart by where they come from, or no longer.
    package func tellClients(_ tells: Bool) async {
        for worker in self.workers where !self.isEnding.withLock({ $0 }) {
            try? await worker.eventLoop.submit { worker.value.loop.census?.tellsClients = tells }
                .get()
        }
    }

    /// Whether clients are to come: false from the moment at which it is told to stop.
    package var isReady: Bool { !self.isStopping.withLock { $0 } }

    /// Says that it is ready no more, and goes on until those who send clients have had the time of the
    /// settings to notice.
    package func leave() async {
        self.isStopping.withLock { $0 = true }
        guard self.settings.drainDelay > .zero else { return }
        self.logger.info("not ready any more", metadata: ["drain_delay": "\(self.drainDelay)"])
        try? await Task.sleep(for: self.drainDelay)
    }

    private var drainDelay: Duration { .nanoseconds(self.settings.drainDelay.nanoseconds) }

    /// Stops listening, lets exchanges come to their end, and closes what is left at the deadline;
    /// WebSockets, which have no end of their own, are told a moment before.
    ///
    /// `timeout`: how long exchanges may take.
    /// - Returns: whether every exchange came to its end.
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
            // A connection that had to be told did not end by itself.
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

    /// How long WebSockets have to answer their close frame.
    private static let goodbyeTime = TimeAmount.seconds(1)

    private func closeWebSockets() async -> Int {
        var count = 0
        for worker in self.workers {
            let told = try? await worker.eventLoop.submit { worker.value.closeWebSockets() }.get()
            count += told ?? 0
        }
        return count
    }

    /// Returns when the gate listens no more, whether it was told to or not.
    package func waitUntilListenerClosed() async {
        await self.listeners.waitUntilClosed()
    }

    /// Whether every event loop has its turn within a time.
    package func isResponsive(within limit: TimeAmount) async -> Bool {
        let watch = MultiThreadedEventLoopGroup.singleton.next()
        return (try? await self.isResponsive(within: limit, on: watch).get()) ?? false
    }

    /// Whether every event loop has its turn within a time, without a thread of the concurrency runtime.
    ///
    /// `watch`: an event loop that is none of those, since it is they that may not answer.
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
