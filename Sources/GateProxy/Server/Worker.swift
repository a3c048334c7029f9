import GateCensus
package import GatePolicy
import GateWire
package import Logging
package import NIOCore

/// An event loop and the objects on it.
///
/// The worker references the objects, but they do not reference the worker.
package final class Worker {
    package let eventLoop: any EventLoop
    let loop: LoopContext
    package let clients: LoopClients
    /// The store for idle connections without a channel, or `nil` if parking is disabled.
    private(set) var parkedConnections: ParkedConnectionStore?
    /// The connections with long-lived responses that are still to be reevaluated against the current rules.
    private var unjudged: [ClientConnection] = []
    private var ticker: RepeatedTask?
    private var whenDrained: EventLoopPromise<Void>?

    /// Creates a worker for an event loop.
    ///
    /// `wallClock` is the clock for dates in the rules. `uptime` is the clock for timeouts and for
    /// the lag of the event loop. `accessLog` receives the lines of the access log, if it is
    /// enabled. `connect` opens connections to the backend; if it is `nil`, they are opened
    /// according to the settings.
    init(
        eventLoop: any EventLoop,
        settings: GateSettings,
        ruleSet: RuleSet,
        logger: Logger,
        addressLimit: AddressLimit? = nil,
        discardBudget: DiscardBudget? = nil,
        untrustedProxy: UntrustedProxyNotice? = nil,
        wallClock: @escaping () -> Timestamp = HTTPDate.now,
        uptime: (() -> NIODeadline)? = nil,
        accessLog: ((Span<UInt8>) -> Void)? = nil,
        connect: UpstreamPool.Connect? = nil
    ) {
        self.eventLoop = eventLoop
        self.loop = LoopContext(
            eventLoop: eventLoop,
            settings: settings,
            ruleSet: ruleSet,
            logger: logger,
            untrustedProxy: untrustedProxy,
            wallClock: wallClock,
            uptime: uptime,
            accessLog: accessLog
        )
        let connector = UpstreamConnector(
            eventLoop: eventLoop,
            settings: settings,
            largeBuffers: self.loop.largeBuffers,
            emptyBuffer: self.loop.emptyBuffer
        )
        let pools = UpstreamPools(
            settings.upstream,
            eventLoop: eventLoop,
            timeouts: settings.timeouts,
            logger: logger,
            connect: connect ?? { connector.connect(to: $0, speaking: $1) }
        )
        self.clients = LoopClients(
            loop: self.loop,
            pools: pools,
            addressLimit: addressLimit,
            discardBudget: discardBudget ?? DiscardBudget(settings.discardLimits)
        )
    }

    /// Creates a worker that connects to the backend according to the settings, and does not limit
    /// connections per address.
    package convenience init(
        eventLoop: any EventLoop,
        settings: GateSettings,
        ruleSet: RuleSet,
        logger: Logger
    ) {
        self.init(
            eventLoop: eventLoop,
            settings: settings,
            ruleSet: ruleSet,
            logger: logger,
            connect: nil
        )
    }

    /// Starts the ticks; must be called on the event loop.
    package func start() {
        let worker = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.ticker = self.eventLoop.scheduleRepeatedTask(
            initialDelay: LoopContext.tickInterval,
            delay: LoopContext.tickInterval
        ) { _ in worker.value.tick() }
    }

    /// Enables parking of connections; must be called before `start()`.
    ///
    /// `index` is the index of this worker in the poller, and `idleTime` is how long a connection
    /// must be idle before it is parked.
    func openParkedConnections(index: Int, watch: ParkedConnectionPoller, idleTime: TimeAmount) {
        guard index <= ParkedConnectionToken.lastWorker else { return }
        self.parkedConnections = ParkedConnectionStore(
            clients: self.clients,
            index: index,
            watch: watch,
            idleTime: idleTime
        )
    }

    /// Replaces the rule set that new requests are evaluated against.
    package func use(_ ruleSet: RuleSet) {
        self.loop.use(ruleSet)
        self.clients.rulesChanged()
        self.reevaluateAll()
    }

    private func tick() {
        switch self.loop.tick() {
        case .same: break
        case .later(let second): self.reevaluateExpired(at: second)
        // Dates that had passed are in the future again, so decisions made since then are invalid.
        case .setBack: self.use(self.loop.rules.ruleSet)
        }
        self.clients.endOverdue()
        self.parkedConnections?.tick(self.clients.all)
        self.loop.accessLog?.tick()
        self.clients.pools.closeOverdue(at: self.loop.now)
    }

    /// The current statistics of this event loop.
    var statistics: GateStatistics {
        var statistics = GateStatistics()
        statistics.counters = self.loop.counters
        statistics.requests = self.loop.tally.requests
        for (terms, count) in statistics.requests {
            statistics.counters.add(terms, times: count)
        }
        statistics.latency = self.loop.latency
        statistics.openConnections = self.clients.connectionCount
        statistics.parkedConnections = self.clients.parkedCount
        statistics.pendingRequests = self.loop.pendingCount
        statistics.eventStreams = self.clients.streamCount
        for backend in self.clients.pools.statistics { statistics.add(backend) }
        return statistics
    }
}

extension Worker {
    /// The number of long-lived responses to reevaluate in a batch; requests are processed between
    /// two batches.
    private static let reevaluationBatchSize = 64

    /// Reevaluates the long-lived responses whose decision has expired.
    private func reevaluateExpired(at now: Timestamp) {
        let overdue = self.clients.all.filter { client in
            (client.request.revocable?.validUntil ?? client.exchange.events?.validUntil).map {
                $0 <= now
            }
                ?? false
        }
        guard !overdue.isEmpty else { return }
        self.judge(self.unjudged + overdue)
    }

    private func reevaluateAll() {
        self.judge(
            self.clients.all.filter { $0.exchange.events != nil || $0.request.revocable != nil }
        )
    }

    private func judge(_ clients: [ClientConnection]) {
        let isUnderWay = !self.unjudged.isEmpty
        self.unjudged = clients
        if !isUnderWay { self.reevaluateNextBatch() }
    }

    private func reevaluateNextBatch() {
        for client in self.unjudged.suffix(Self.reevaluationBatchSize) { client.evaluateAgain() }
        self.unjudged.removeLast(min(Self.reevaluationBatchSize, self.unjudged.count))
        guard !self.unjudged.isEmpty else { return }
        let worker = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.eventLoop.scheduleTask(in: .milliseconds(1)) { worker.value.reevaluateNextBatch() }
    }
}

extension Worker {
    /// Lets exchanges in progress complete, and closes all other connections.
    ///
    /// `grace` is how long idle connections may stay open for one last request.
    ///
    /// - Returns: A future that succeeds once no client is connected.
    package func drain(grace: TimeAmount = .zero) -> EventLoopFuture<Void> {
        self.loop.beginDraining(grace: grace)
        let promise = self.whenDrained ?? self.eventLoop.makePromise(of: Void.self)
        self.whenDrained = promise
        // The closure keeps the worker alive until the last client has disconnected.
        self.clients.whenDrained = { self.drained() }
        self.clients.drain(grace: grace)
        self.parkedConnections?.drain(grace: grace)
        self.clients.clientLeft()
        return promise.futureResult
    }

    /// Closes all remaining connections, whatever their state.
    package func closeAll() {
        self.clients.abortAll()
        self.parkedConnections?.closeAll()
        self.parkedConnections = nil
        self.stop()
    }

    private func drained() {
        self.clients.whenDrained = nil
        self.stop()
        self.whenDrained?.succeed()
    }

    private func stop() {
        self.ticker?.cancel()
        self.ticker = nil
        self.clients.pools.closeAll()
        self.loop.accessLog?.end()
    }
}

@available(*, unavailable)
extension Worker: Sendable {}
