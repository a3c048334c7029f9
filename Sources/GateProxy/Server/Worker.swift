import GateCensus
package import GatePolicy
package import Logging
package import NIOCore

/// One event loop and everything that lives on it.
///
/// Only that loop touches the rules, the connections, the pool and the counters, so there is no
/// lock.
package final class Worker {
    package let eventLoop: any EventLoop
    let settings: GateSettings
    let logger: Logger
    let pool: UpstreamPool
    /// The backend as a `Host` value, for requests that have none.
    let upstreamAuthority: String
    private(set) var rules: WorkerRules
    /// By feed, when it last said that what it says is true.
    var confirmedAt: [String: Timestamp] = [:]
    private(set) var isDraining = false
    /// The certificates that new connections of a TLS listener are encrypted by.
    var tls: ServerTLS?
    /// Everything counted but the requests that were judged, which the tally has.
    var counters = GateCounters()
    let tally = RequestTally()
    let census: CensusTally?
    var latency = LatencyFigures()
    let measuresLatency: Bool
    let accessLog: AccessLog?
    var faultLog: FaultLog
    let maxConnections: Int
    private let maxStreams: Int
    private var requestIDs = RequestIDs()
    /// The connections of HTTP/1.1, and the streams of HTTP/2.
    private var clients = ConnectionRegistry<ClientConnection>()
    private var multiplexed = ConnectionRegistry<HTTP2Connection>()
    private var multiplexedStreamCount = 0
    /// Connections whose client is not yet known.
    private var arrivals = ConnectionRegistry<ProxyHeaderHandler>()
    /// Connections that are between two requests and have no channel.
    private(set) var parkedConnections: ParkedConnectionStore?
    /// Shared by all loops.
    let addressLimit: AddressLimit?
    /// Told of proxies that the settings do not know; `nil` if they know some.
    let untrustedProxy: UntrustedProxyNotice?
    private let maxPending: Int
    /// Requests that wait for the first byte of their answer.
    private(set) var pendingCount = 0
    private var loopLag = LoopLagMonitor()
    /// The connections whose requests go on and were not yet judged by the rules of now.
    private var unjudged: [ClientConnection] = []
    private(set) var streamCount = 0
    private var ticker: RepeatedTask?
    private var buffers: [ByteBuffer] = []
    private var whenDrained: EventLoopPromise<Void>?
    /// The time that a connection which comes while the gate drains has for its one request.
    private(set) var drainGrace = TimeAmount.zero

    /// The time of the last tick; good enough for every timeout.
    private(set) var now: NIODeadline
    /// `nil`: the system's, which is read without a detour.
    private let uptime: (() -> NIODeadline)?
    /// The `Date` field line, made anew each second (RFC 9110 6.6.1).
    private(set) var dateLine: [UInt8]
    /// The same with the empty line that ends a head.
    private(set) var lastDateLine: [UInt8]
    /// The second that the wall clock showed at the last tick.
    private var second: Timestamp
    /// The wall clock, which can be set forward and back; for nothing but dates.
    let wallClock: () -> Timestamp

    static let tickInterval = TimeAmount.milliseconds(250)

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
        untrustedProxy: UntrustedProxyNotice? = nil,
        wallClock: @escaping () -> Timestamp = HTTPDate.now,
        uptime: (() -> NIODeadline)? = nil,
        accessLog: ((Span<UInt8>) -> Void)? = nil,
        connect: UpstreamPool.Connect? = nil
    ) {
        self.addressLimit = addressLimit
        self.untrustedProxy = untrustedProxy
        self.eventLoop = eventLoop
        self.settings = settings
        self.measuresLatency = settings.measuresLatency
        self.logger = logger
        self.upstreamAuthority = settings.upstream.authority
        self.wallClock = wallClock
        self.uptime = uptime
        self.now = uptime?() ?? .now()
        self.census = settings.census.map { CensusTally($0) }
        self.rules = Self.rules(ruleSet, settings, self.tally, self.census, wallClock)
        let connector = UpstreamConnector(eventLoop: eventLoop, settings: settings)
        self.pool = UpstreamPool(
            eventLoop: eventLoop,
            timeouts: settings.timeouts,
            addresses: UpstreamDirectory(settings.upstream.targets).addresses,
            logger: logger,
            connect: connect ?? { connector.connect(to: $0, speaking: $1) }
        )
        self.maxConnections = Swift.max(1, settings.maxConnections / Swift.max(1, settings.threads))
        self.maxPending = Swift.max(
            1,
            settings.maxPendingRequests / Swift.max(1, settings.threads)
        )
        self.maxStreams = settings.maxEventStreams / Swift.max(1, settings.threads)
        self.faultLog = FaultLog(logger)
        if let format = settings.accessLog, let accessLog {
            self.accessLog = AccessLog(format, output: accessLog)
        } else {
            self.accessLog = nil
        }
        self.second = wallClock()
        self.dateLine = HTTPDate.line(self.second)
        self.lastDateLine = self.dateLine + Array("\r\n".utf8)
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
            initialDelay: Self.tickInterval,
            delay: Self.tickInterval
        ) { _ in worker.value.tick() }
    }

    /// Lets connections be parked; call before `start()`.
    ///
    /// `index`: which of the watch's workers this is; `idleTime`: how long a connection must have
    /// been silent.
    func openParkedConnections(index: Int, watch: ParkedConnectionPoller, idleTime: TimeAmount) {
        guard index <= ParkedConnectionToken.lastWorker else { return }
        self.parkedConnections = ParkedConnectionStore(
            worker: self,
            index: index,
            watch: watch,
            idleTime: idleTime
        )
    }

    /// Judges every request from now on by another rule set.
    package func use(_ ruleSet: RuleSet) {
        self.rules = Self.rules(ruleSet, self.settings, self.tally, self.census, self.wallClock)
        for client in self.clients.all { client.rulesChanged() }
        self.judgeAll()
    }

    private static func rules(
        _ ruleSet: RuleSet,
        _ settings: GateSettings,
        _ tally: RequestTally,
        _ census: CensusTally?,
        _ wallClock: @escaping () -> Timestamp
    ) -> WorkerRules {
        WorkerRules(
            ruleSet,
            cacheCapacity: settings.verdictCacheCapacity,
            logFormat: settings.accessLog,
            tally: tally,
            census: census,
            now: wallClock
        )
    }

    func nextRequestID() -> RequestID {
        self.requestIDs.next()
    }

    /// An empty buffer for a message head.
    func takeBuffer() -> ByteBuffer {
        var buffer = self.buffers.popLast() ?? ByteBufferAllocator().buffer(capacity: 1024)
        // New memory is taken only if a slow reader still has the last content to come.
        buffer.clear()
        return buffer
    }

    /// Lets the memory of a head serve again; its content may still be on its way.
    func giveBack(_ buffer: ByteBuffer) {
        guard self.buffers.count < 16, buffer.capacity <= 16 * 1024 else { return }
        self.buffers.append(buffer)
    }

    var connectionCount: Int {
        self.clients.count - self.multiplexedStreamCount + self.multiplexed.count
            + self.arrivals.count + (self.parkedConnections?.count ?? 0)
    }

    func add(_ client: ClientConnection) {
        self.clients.add(client)
    }

    /// Takes in a request of a connection that is counted already.
    func add(stream: ClientConnection) {
        self.clients.add(stream)
        self.multiplexedStreamCount += 1
    }

    func add(_ connection: HTTP2Connection) {
        self.multiplexed.add(connection)
    }

    func remove(_ client: ClientConnection) {
        guard self.clients.remove(client) else { return }
        if case .stream = client.transport { self.multiplexedStreamCount -= 1 }
        self.finishDrainIfEmpty()
    }

    func remove(_ connection: HTTP2Connection) {
        self.multiplexed.remove(connection)
        self.finishDrainIfEmpty()
    }

    func add(_ arrival: ProxyHeaderHandler) {
        self.arrivals.add(arrival)
    }

    func remove(_ arrival: ProxyHeaderHandler) {
        self.arrivals.remove(arrival)
    }

    /// The time to the nanosecond, for what is measured; `now` is good enough for all else.
    @inline(__always)
    func readClock() -> NIODeadline {
        guard let uptime = self.uptime else { return .now() }
        return uptime()
    }

    /// Why no request should be taken on for now, if there is a reason.
    var overload: Refusal? {
        if self.pendingCount >= self.maxPending { return .pendingRequests }
        return self.loopLag.isLasting ? .lateness : nil
    }

    func requestPends() {
        self.pendingCount += 1
    }

    func requestPendsNoMore() {
        self.pendingCount -= 1
    }

    private func tick() {
        let now = self.readClock()
        self.loopLag.tick(late: now - self.now - Self.tickInterval)
        self.now = now
        let second = self.wallClock()
        if second != self.second { self.turn(to: second) }
        for client in self.clients.overdue(at: self.now) { client.deadlineReached() }
        for arrival in self.arrivals.overdue(at: self.now) { arrival.deadlineReached() }
        for connection in self.multiplexed.overdue(at: self.now) { connection.deadlineReached() }
        self.parkedConnections?.tick(self.clients.all)
        self.accessLog?.tick()
        self.pool.closeOverdue(at: self.now)
    }

    /// The wall clock shows another second.
    private func turn(to second: Timestamp) {
        let wasSetBack = second < self.second
        self.second = second
        self.dateLine = HTTPDate.line(second)
        self.lastDateLine = self.dateLine + Array("\r\n".utf8)
        if wasSetBack {
            // A date that had passed is still to come: nothing holds that was decided after it.
            self.use(self.rules.ruleSet)
        } else {
            self.judgeOverdue(at: second)
        }
    }
}

extension Worker {
    /// Streams and tunnels that are judged together; between two lots, requests have their turn.
    private static let judgedTogether = 64

    /// Counts a stream of events; `false` if there are as many as there may be.
    func openStream() -> Bool {
        guard self.streamCount < self.maxStreams else { return false }
        self.streamCount += 1
        self.counters.eventStreams += 1
        return true
    }

    func closeStream() {
        self.streamCount -= 1
    }

    /// Judges again what goes on and whose verdict was only good up to now.
    private func judgeOverdue(at now: Timestamp) {
        let overdue = self.clients.all.filter { client in
            (client.rejudgeable?.validUntil ?? client.events?.validUntil).map { $0 <= now } ?? false
        }
        guard !overdue.isEmpty else { return }
        self.judge(self.unjudged + overdue)
    }

    private func judgeAll() {
        self.judge(self.clients.all.filter { $0.events != nil || $0.rejudgeable != nil })
    }

    private func judge(_ clients: [ClientConnection]) {
        let isUnderWay = !self.unjudged.isEmpty
        self.unjudged = clients
        if !isUnderWay { self.judgeNext() }
    }

    private func judgeNext() {
        for client in self.unjudged.suffix(Self.judgedTogether) { client.judgeAgain() }
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
        self.drainGrace = grace
        self.isDraining = true
        let promise = self.whenDrained ?? self.eventLoop.makePromise(of: Void.self)
        self.whenDrained = promise
        for arrival in self.arrivals.all { arrival.close() }
        for client in self.clients.all { client.drain(grace: grace) }
        for connection in self.multiplexed.all { connection.drain(grace: grace) }
        self.parkedConnections?.drain(grace: grace)
        self.finishDrainIfEmpty()
        return promise.futureResult
    }

    /// Tells both ends of WebSockets that the gate goes, before `closeAll()` cuts them off.
    ///
    /// - Returns: how many there are.
    package func closeWebSockets() -> Int {
        self.clients.all.count { $0.closeWebSocket() }
    }

    /// Closes what is left, in the middle of whatever it does.
    package func closeAll() {
        for client in self.clients.all { client.abort() }
        for connection in self.multiplexed.all { connection.fail(.noError) }
        self.parkedConnections?.closeAll()
        self.parkedConnections = nil
        self.stop()
    }

    /// A connection is parked no more, closed or woken.
    func parkedConnectionLeft() {
        self.finishDrainIfEmpty()
    }

    private func finishDrainIfEmpty() {
        guard self.isDraining, self.clients.count == 0, self.multiplexed.count == 0,
            self.parkedConnections?.count ?? 0 == 0
        else { return }
        self.stop()
        self.whenDrained?.succeed()
    }

    private func stop() {
        self.ticker?.cancel()
        self.ticker = nil
        self.pool.closeAll()
        self.accessLog?.end()
    }
}

@available(*, unavailable)
extension Worker: Sendable {}
