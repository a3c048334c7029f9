import GateCensus
package import GatePolicy
import GateWire
package import Logging
package import NIOCore

/// One event loop and everything that lives on it: it knows everybody, and nobody knows it.
package final class Worker {
    package let eventLoop: any EventLoop
    let loop: LoopContext
    package let clients: LoopClients
    /// Connections that are between two requests and have no channel.
    private(set) var parkedConnections: ParkedConnectionStore?
    /// The connections whose requests go on and were not yet judged by the rules of now.
    private var unjudged: [ClientConnection] = []
    private var ticker: RepeatedTask?
    private var whenDrained: EventLoopPromise<Void>?

    /// A worker for one event loop.
    ///
    /// `wallClock`: what dates in the rules are compared with; `uptime`: what timeouts and the lag of
    /// the loop are measured by; `accessLog`: takes the lines of the access log, if the settings want
    /// one; `connect`: opens connections to the backend; `nil`: as the settings say.
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
        let pool = UpstreamPool(
            eventLoop: eventLoop,
            timeouts: settings.timeouts,
            addresses: UpstreamDirectory(settings.upstream.targets).addresses,
            logger: logger,
            connect: connect ?? { connector.connect(to: $0, speaking: $1) }
        )
        self.clients = LoopClients(
            loop: self.loop,
            pool: pool,
            addressLimit: addressLimit,
            discardBudget: discardBudget ?? DiscardBudget(settings.discardLimits)
        )
    }

    /// A worker that counts no addresses and connects to the backend as the settings say.
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

    /// Starts the clock; call on the event loop.
    package func start() {
        let worker = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.ticker = self.eventLoop.scheduleRepeatedTask(
            initialDelay: LoopContext.tickInterval,
            delay: LoopContext.tickInterval
        ) { _ in worker.value.tick() }
    }

    /// Lets connections be parked; call before `start()`.
    ///
    /// `index`: which of the watch's workers this is; `idleTime`: how long a connection must have
    /// been silent.
    func openParkedConnections(index: Int, watch: ParkedConnectionPoller, idleTime: TimeAmount) {
        guard index <= ParkedConnectionToken.lastWorker else { return }
        self.parkedConnections = ParkedConnectionStore(
            clients: self.clients,
            index: index,
            watch: watch,
            idleTime: idleTime
        )
    }

    /// Judges every request from now on by another rule set.
    package func use(_ ruleSet: RuleSet) {
        self.loop.use(ruleSet)
        self.clients.rulesChanged()
        self.judgeAll()
    }

    private func tick() {
        switch self.loop.tick() {
        case .same: break
        case .later(let second): self.judgeOverdue(at: second)
        // A date that had passed is still to come: nothing holds that was decided after it.
        case .setBack: self.use(self.loop.rules.ruleSet)
        }
        self.clients.endOverdue()
        self.parkedConnections?.tick(self.clients.all)
        self.loop.accessLog?.tick()
        self.clients.pool.closeOverdue(at: self.loop.now)
    }

    /// Everything that is counted on this loop, as it is now.
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
        statistics.backends = self.clients.pool.statistics(
            of: self.loop.settings.upstream.targets
        )
        return statistics
    }
}

extension Worker {
    /// Streams and tunnels that are judged together; between two lots, requests have their turn.
    private static let judgedTogether = 64

    /// Judges again what goes on and whose verdict was only good up to now.
    private func judgeOverdue(at now: Timestamp) {
        let overdue = self.clients.all.filter { client in
            (client.request.revocable?.validUntil ?? client.exchange.events?.validUntil).map {
                $0 <= now
            }
                ?? false
        }
        guard !overdue.isEmpty else { return }
        self.judge(self.unjudged + overdue)
    }

    private func judgeAll() {
        self.judge(
            self.clients.all.filter { $0.exchange.events != nil || $0.request.revocable != nil }
        )
    }

    private func judge(_ clients: [ClientConnection]) {
        let isUnderWay = !self.unjudged.isEmpty
        self.unjudged = clients
        if !isUnderWay { self.judgeNext() }
    }

    private func judgeNext() {
        for client in self.unjudged.suffix(Self.judgedTogether) { client.evaluateAgain() }
        self.unjudged.removeLast(min(Self.judgedTogether, self.unjudged.count))
        guard !self.unjudged.isEmpty else { return }
        let worker = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.eventLoop.scheduleTask(in: .milliseconds(1)) { worker.value.judgeNext() }
    }
}

extension Worker {
    /// Lets the exchanges that are under way come to their end and closes everything else.
    ///
    /// `grace`: how long idle connections may stay, in which the next request is the last.
    /// - Returns: a future that succeeds when no client is left.
    package func drain(grace: TimeAmount = .zero) -> EventLoopFuture<Void> {
        self.loop.beginDraining(grace: grace)
        let promise = self.whenDrained ?? self.eventLoop.makePromise(of: Void.self)
        self.whenDrained = promise
        // The worker lives until then, whoever has let go of it.
        self.clients.whenDrained = { self.drained() }
        self.clients.drain(grace: grace)
        self.parkedConnections?.drain(grace: grace)
        self.clients.clientLeft()
        return promise.futureResult
    }

    /// Tells both ends of WebSockets that the gate goes, before `closeAll()` cuts them off.
    ///
    /// - Returns: how many there are.
    package func closeWebSockets() -> Int {
        self.clients.closeWebSockets()
    }

    /// Closes what is left, in the middle of whatever it does.
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
        self.clients.pool.closeAll()
        self.loop.accessLog?.end()
    }
}

@available(*, unavailable)
extension Worker: Sendable {}
