import GateCensus
import GatePolicy
import GateWire
import Logging
import NIOCore

/// The clock, the settings, the rules, the counters and the log of one event loop: what everything that lives on it
/// may use.
///
/// It knows none of its users. Only the loop touches it, so there is no lock.
final class LoopContext {
    let eventLoop: any EventLoop
    let settings: GateSettings
    /// The backend as a `Host` value, for requests that have none.
    let upstreamAuthority: String
    private(set) var rules: WorkerRules
    /// By feed, when it last said that what it says is true.
    var confirmedAt: [String: Timestamp] = [:]
    private(set) var isDraining = false
    /// The time that a connection which comes while the gate drains has for its one request.
    private(set) var drainGrace = TimeAmount.zero

    /// Everything counted but the requests that were judged, which the tally has.
    var counters = GateCounters()
    let tally = RequestTally()
    let census: CensusTally?
    var latency = LatencyFigures()
    let measuresLatency: Bool

    let accessLog: AccessLog?
    var faultLog: FaultLog
    /// Told of proxies that the settings do not know; `nil` if they know some.
    let untrustedProxy: UntrustedProxyNotice?

    let largeBuffers = LargeBuffers()
    /// An empty buffer of its own.
    ///
    /// NIO's is one for all threads: to count references to it takes its line from one processor's cache to the next.
    let emptyBuffer = ByteBufferAllocator().buffer(capacity: 1)
    private var requestIDs = RequestIDs()
    private var buffers: [ByteBuffer] = []
    private let maxPending: Int
    /// Requests that wait for the first byte of their answer.
    private(set) var pendingCount = 0
    private var loopLag = LoopLagMonitor()

    /// The time of the last tick; good enough for every timeout.
    private(set) var now: NIODeadline
    /// `nil`: the system's, which is read without a detour.
    private let uptime: (() -> NIODeadline)?
    /// The `Date` field line, made anew each second (RFC 9110 6.6.1).
    private(set) var dateLine: [UInt8]
    /// The same with the empty line that ends a head.
    private(set) var lastDateLine: [UInt8]
    /// The same after the CR LF of the previous line.
    private(set) var endWithDate: [UInt8]
    /// The date as an HTTP/2 header block.
    private(set) var dateBlock: [UInt8]
    /// The second that the wall clock showed at the last tick.
    private var second: Timestamp
    /// The wall clock, which can be set forward and back; for nothing but dates.
    let wallClock: () -> Timestamp

    /// Buffers that wait for another head: enough for those of many requests at the same time.
    private static let mostBuffers = 64
    private static let largestBuffer = 8 * 1024

    static let tickInterval = TimeAmount.milliseconds(250)

    /// The context of one event loop.
    ///
    /// `wallClock`: what dates in the rules are compared with; `uptime`: what timeouts and the lag of
    /// the loop are measured by, `nil` for the system's clock; `accessLog`: takes the lines of the
    /// access log, if the settings want one.
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
        self.dateLine = HTTPDate.line(self.second)
        self.lastDateLine = self.dateLine + Array("\r\n".utf8)
        self.endWithDate = Array("\r\n".utf8) + self.lastDateLine
        self.dateBlock = Self.dateBlock(self.second)
    }

    /// Takes another rule set; telling those who are judged by the last one is for the caller.
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
            predecessor: predecessor,
            now: wallClock
        )
    }

    /// New connections have one request from now on, for which they have this time.
    func beginDraining(grace: TimeAmount) {
        self.drainGrace = grace
        self.isDraining = true
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
    func giveBack(_ buffer: consuming ByteBuffer) {
        guard self.buffers.count < Self.mostBuffers, buffer.capacity <= Self.largestBuffer else {
            return
        }
        self.buffers.append(buffer)
    }
}

/// The clock.
extension LoopContext {
    /// The wall clock's way between two ticks.
    enum SecondChange: Equatable {
        case same
        case later(Timestamp)
        /// It was set back: what was decided after that time may not hold.
        case setBack
    }

    private static func dateBlock(_ second: Timestamp) -> [UInt8] {
        RenderedFields([
            HeaderField(
                name: "Date",
                value: HTTPDate.text(secondsSinceEpoch: Int(second.secondsSinceEpoch))
            )
        ]).block
    }

    /// The time to the nanosecond, for what is measured; `now` is good enough for all else.
    @inline(__always)
    func readClock() -> NIODeadline {
        guard let uptime = self.uptime else { return .now() }
        return uptime()
    }

    /// Reads the clocks.
    func tick() -> SecondChange {
        let now = self.readClock()
        self.loopLag.tick(late: now - self.now - Self.tickInterval)
        self.now = now
        let last = self.second
        let second = self.wallClock()
        guard second != last else { return .same }
        self.second = second
        self.dateLine = HTTPDate.line(second)
        self.lastDateLine = self.dateLine + Array("\r\n".utf8)
        self.endWithDate = Array("\r\n".utf8) + self.lastDateLine
        self.dateBlock = Self.dateBlock(second)
        return second < last ? .setBack : .later(second)
    }
}

/// The load.
extension LoopContext {
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

    /// Counts that somebody was turned away, and logs it if that was not done a moment ago.
    func refused(_ refusal: Refusal, _ metadata: Logger.Metadata = [:]) {
        self.counters[keyPath: refusal.counter] += 1
        self.faultLog.report(.refusal(refusal), metadata)
    }
}

@available(*, unavailable)
extension LoopContext: Sendable {}
