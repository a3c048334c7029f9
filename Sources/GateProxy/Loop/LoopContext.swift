import GateCensus
import GatePolicy
import GateWire
import Logging
import NIOCore

/// The state that all objects of one event loop share: clock, settings, rules, counters and log.
///
/// The context does not reference the objects that use it. Only the event loop accesses the context, so there is no
/// lock.
final class LoopContext {
    let eventLoop: any EventLoop
    let settings: GateSettings
    /// The default backend as a `Host` value, for requests without `Host`.
    private let upstreamAuthority: String
    /// The named backends as `Host` values, in the order of the settings.
    private let namedAuthorities: [String]
    private(set) var rules: WorkerRules
    /// The time at which each feed last confirmed its data.
    var confirmedAt: [String: Timestamp] = [:]
    private(set) var isDraining = false
    /// Whether the gate is about to drain, but still accepts requests until load balancers have detected the shutdown.
    var isLeaving = false
    /// The time within which the single request must arrive on a connection that is accepted during the drain.
    private(set) var drainGrace = TimeAmount.zero

    /// All counters except for evaluated requests, which are in `tally`.
    var counters = GateCounters()
    let tally = RequestTally()
    let census: CensusTally?
    var latency = LatencyFigures()
    let measuresLatency: Bool

    let accessLog: AccessLog?
    var faultLog: FaultLog
    /// The notice about untrusted proxies; `nil` if trusted proxies are configured.
    let untrustedProxy: UntrustedProxyNotice?

    let largeBuffers = LargeBuffers()
    /// An empty buffer that is used as a placeholder on this event loop.
    ///
    /// NIO's own empty buffer is shared by all threads, so its reference count would move between the processors'
    /// caches.
    let emptyBuffer = ByteBufferAllocator().buffer(capacity: 1)
    private var requestIDs = RequestIDs()
    private var buffers: [ByteBuffer] = []
    private let maxPending: Int
    /// The number of requests that wait for the first byte of their response.
    var pendingCount = 0
    private var loopLag = LoopLagMonitor()

    /// The time of the last tick, which is precise enough for timeouts.
    private(set) var now: NIODeadline
    /// The clock for timeouts; `nil` if the system clock is read directly.
    private let uptime: (() -> NIODeadline)?
    /// The `Date` field line, updated every second (RFC 9110 section 6.6.1).
    private(set) var dateLine: [UInt8] = []
    /// The `Date` field line, followed by the empty line that ends a head.
    private(set) var lastDateLine: [UInt8] = []
    /// The same as `lastDateLine`, preceded by the CR LF of the previous line.
    private(set) var endWithDate: [UInt8] = []
    /// The date as an HTTP/2 header block.
    private(set) var dateBlock: [UInt8] = []
    /// The second of the wall clock at the last tick.
    private var second: Timestamp
    /// The wall clock, which may be set forward or back, and is used only for dates.
    let wallClock: () -> Timestamp

    /// The maximum number of buffers to keep for reuse, which is enough for the heads of many concurrent requests.
    private static let mostBuffers = 64
    private static let largestBuffer = 8 * 1024

    static let tickInterval = TimeAmount.milliseconds(250)

    /// Creates the context of an event loop.
    ///
    /// `wallClock` is compared with dates in the rules. `uptime` is the clock for timeouts and for the lag of the event
    /// loop, or `nil` for the system clock. `accessLog` receives the lines of the access log if the log is enabled.
    init(
        eventLoop: any EventLoop,
        settings: GateSettings,
        ruleSet: RuleSet,
        logger: Logger,
        untrustedProxy: UntrustedProxyNotice?,
        wallClock: @escaping () -> Timestamp,
        uptime: (() -> NIODeadline)?,
        accessLog: ((Span<UInt8>) -> Void)?
    ) {
        self.eventLoop = eventLoop
        self.settings = settings
        self.measuresLatency = settings.measuresLatency
        self.upstreamAuthority = settings.upstream.authority
        self.namedAuthorities = settings.upstream.named.map(\.authority)
        self.untrustedProxy = untrustedProxy
        self.wallClock = wallClock
        self.uptime = uptime
        self.now = uptime?() ?? .now()
        self.census = settings.census.map { CensusTally($0) }
        self.rules = Self.rules(ruleSet, settings, self.tally, self.census, wallClock)
        self.maxPending = Swift.max(
            1,
            settings.maxPendingRequests / Swift.max(1, settings.threads)
        )
        self.faultLog = FaultLog(logger)
        if let format = settings.accessLog, let accessLog {
            self.accessLog = AccessLog(format, output: accessLog)
        } else {
            self.accessLog = nil
        }
        self.second = wallClock()
        self.renderDate()
    }

    /// Replaces the rule set.
    ///
    /// The caller must reevaluate exchanges in progress.
    func use(_ ruleSet: RuleSet) {
        self.rules = Self.rules(
            ruleSet,
            self.settings,
            self.tally,
            self.census,
            self.wallClock,
            after: self.rules
        )
    }

    private static func rules(
        _ ruleSet: RuleSet,
        _ settings: GateSettings,
        _ tally: RequestTally,
        _ census: CensusTally?,
        _ wallClock: @escaping () -> Timestamp,
        after predecessor: WorkerRules? = nil
    ) -> WorkerRules {
        WorkerRules(
            ruleSet,
            cacheCapacity: settings.verdictCacheCapacity,
            logFormat: settings.accessLog,
            tally: tally,
            census: census,
            backends: settings.upstream.named.map(\.name),
            predecessor: predecessor,
            now: wallClock
        )
    }

    /// Starts to limit each new connection to a single request, which must arrive within `grace`.
    func beginDraining(grace: TimeAmount) {
        self.drainGrace = grace
        self.isDraining = true
    }

    /// Whether gateways should send further requests to this gate.
    var acceptsGateways: Bool { !self.isLeaving && !self.isDraining }

    /// Returns the default backend or the backend of a route as a `Host` value, for requests without `Host`.
    @inline(__always)
    func authority(of route: BackendRoute?) -> String {
        route?.index.map { self.namedAuthorities[$0] } ?? self.upstreamAuthority
    }

    func nextRequestID() -> RequestID {
        self.requestIDs.next()
    }

    /// Returns an empty buffer for a message head.
    func takeBuffer() -> ByteBuffer {
        var buffer = self.buffers.popLast() ?? ByteBufferAllocator().buffer(capacity: 1024)
        // New memory is allocated only if a slow reader has delayed the sending of the previous content.
        buffer.clear()
        return buffer
    }

    /// Takes back the buffer of a message head for reuse, even if its content has not been sent.
    func giveBack(_ buffer: consuming ByteBuffer) {
        guard self.buffers.count < Self.mostBuffers, buffer.capacity <= Self.largestBuffer else {
            return
        }
        self.buffers.append(buffer)
    }
}

/// Methods for the clocks.
extension LoopContext {
    /// The change in the wall-clock second between two ticks.
    enum SecondChange: Equatable {
        case same
        case later(Timestamp)
        /// The clock was set back, so decisions made for later times may be invalid.
        case setBack
    }

    private func renderDate() {
        self.dateLine = HTTPDate.line(self.second)
        self.lastDateLine = self.dateLine + Array("\r\n".utf8)
        self.endWithDate = Array("\r\n".utf8) + self.lastDateLine
        self.dateBlock =
            RenderedFields([HeaderField(name: "Date", value: self.second.httpDate)]).block
    }

    /// Returns the current time for measurements; for all other purposes, `now` is precise enough.
    @inline(__always)
    func readClock() -> NIODeadline {
        guard let uptime = self.uptime else { return .now() }
        return uptime()
    }

    /// Updates the clocks.
    ///
    /// - Returns: The change in the wall-clock second since the last tick.
    func tick() -> SecondChange {
        let now = self.readClock()
        self.loopLag.tick(late: now - self.now - Self.tickInterval)
        self.now = now
        let last = self.second
        let second = self.wallClock()
        guard second != last else { return .same }
        self.second = second
        self.renderDate()
        return second < last ? .setBack : .later(second)
    }
}

/// Methods that detect overload and count refusals.
extension LoopContext {
    /// The reason why new requests must currently be rejected; `nil` if there is no reason.
    var overload: Refusal? {
        if self.pendingCount >= self.maxPending { return .pendingRequests }
        return self.loopLag.isLasting ? .lateness : nil
    }

    /// Counts a refusal, and logs it unless one with the same reason was logged within the last second.
    func refused(_ refusal: Refusal, _ metadata: Logger.Metadata = [:]) {
        self.counters[keyPath: refusal.counter] += 1
        self.faultLog.report(.refusal(refusal), metadata)
    }
}

/// A monitor that detects an overloaded event loop, which should reject requests.
///
/// A single late tick can be caused by a paused machine. Two late ticks in a row mean that the event loop cannot keep
/// up.
struct LoopLagMonitor {
    /// The maximum lag of a tick.
    static let limit = TimeAmount.seconds(1)

    private var wasLate = false
    private(set) var isLasting = false

    /// Records a tick and its lag.
    mutating func tick(late lag: TimeAmount) {
        let isLate = lag > Self.limit
        self.isLasting = isLate && self.wasLate
        self.wasLate = isLate
    }
}

@available(*, unavailable)
extension LoopContext: Sendable {}
