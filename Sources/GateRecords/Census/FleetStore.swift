package import GateCensus
internal import GatePolicy
package import Logging
private import Synchronization

/// The devices that the gates of a fleet have seen together: Redis or Valkey merges their sketches.
///
/// A gate hands over what is new since the last time, hour by hour. To merge the same twice changes
/// nothing, so that after an outage it hands over what its own census has.
package final class FleetStore: Sendable {
    /// The place of the store, and the secret of the fleet.
    package struct Settings: Sendable {
        package var place: RedisPlace
        /// The hash of device ids, which must be the same at all gates.
        package var hash: SipHash

        package init(place: RedisPlace, hash: SipHash) {
            self.place = place
            self.hash = hash
        }
    }

    /// The store as this gate sees it, for metrics.
    package struct Status: Sendable, Equatable {
        /// Whether it took what was handed over last.
        package var isUp = false
        /// Times at which it did not, since the start.
        package var failures: UInt64 = 0
    }

    /// Devices of the fleet, estimated.
    struct Counts: Sendable {
        let total: Int
        let lines: [CensusReport.Line: Int]
    }

    /// A length of time of which the devices are merged.
    private enum Span: Int64 {
        case hour = 3_600
        case day = 86_400

        /// Seconds after which the store forgets one that nobody adds to.
        var kept: Int64 { self == .hour ? 50 * 3_600 : 91 * 86_400 }
    }

    /// Sketches by what they count; `nil`: all devices.
    private typealias Sketches = [CensusReport.Line?: HyperLogLog]

    /// Kinds of clients of an hour that are handed over: those with the most requests.
    private static let lineLimit = 200
    /// Hours that are asked for one by one, and that are handed over after an outage.
    private static let hoursAsked: Int64 = 48
    /// Seconds that a store may take for one step.
    private static let patience = 2
    /// Seconds until a store that failed is tried again: twice as many each time.
    private static let pauses: ClosedRange<Int64> = 1...60

    private struct State {
        var connection: RedisConnection?
        var pause = FleetStore.pauses.lowerBound
        /// The second at which it is tried again.
        var nextAttempt = Timestamp(secondsSinceEpoch: 0)
        /// The second since which something may be missing in the store; `nil`: nothing is.
        var missingSince: Timestamp? = Timestamp(secondsSinceEpoch: 0)
        /// Whether its absence was logged.
        var isTold = false
    }

    private let settings: Settings
    private let logger: Logger
    private let state = Mutex(State())
    private let lastStatus = Mutex(Status())
    /// Tells the keys of one gate from those of another one.
    private let gate = UInt64.random(in: .min ... .max)

    package init(_ settings: Settings, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    package var status: Status { self.lastStatus.withLock { $0 } }

    /// Hands over what was counted, which is in the census of this gate already.
    ///
    /// It waits for the store, some seconds at most: never on an event loop.
    func deliver(_ bucket: CensusBucket, of census: CensusStore, at now: Timestamp) {
        self.state.withLock { state in
            guard now >= state.nextAttempt else {
                state.missingSince = state.missingSince ?? now
                return
            }
            let missing = state.missingSince
            do {
                let news =
                    try missing.map { try Self.sketches(of: census, since: $0, until: now) }
                    ?? [(Self.start(of: now, .hour), Self.sketches(bucket.cells.map { ($0, $1) }))]
                let commands = news.flatMap { self.commands(for: $0.sketches, at: $0.hour) }
                _ = try self.connection(&state).ask(commands)
                state.missingSince = nil
                self.report(nil, &state)
                let count = news.reduce(0) { $0 + $1.sketches.count }
                self.logger.debug("census handed over", metadata: ["sketches": "\(count)"])
            } catch {
                state.missingSince = state.missingSince ?? now
                self.fail("\(error)", &state, at: now)
            }
        }
    }

    /// Lets go of the connection, and of the store for some time.
    private func fail(_ problem: String, _ state: inout State, at now: Timestamp) {
        state.connection = nil
        state.nextAttempt = now.advanced(by: state.pause)
        state.pause = min(state.pause * 2, Self.pauses.upperBound)
        self.report(problem, &state)
    }

    private func connection(
        _ state: inout State
    ) throws(RedisConnection.Failure) -> RedisConnection {
        if let connection = state.connection { return connection }
        let connection = try RedisConnection(self.settings.place, patience: Self.patience)
        state.connection = connection
        return connection
    }

    private func report(_ problem: String?, _ state: inout State) {
        self.lastStatus.withLock { status in
            status.isUp = problem == nil
            status.failures += problem == nil ? 0 : 1
        }
        guard let problem else {
            state.pause = Self.pauses.lowerBound
            if state.isTold { self.logger.notice("the census store is there again") }
            state.isTold = false
            return
        }
        guard !state.isTold else { return }
        state.isTold = true
        self.logger.warning("the census store is away", metadata: ["error": "\(problem)"])
    }
}

/// The figures that are handed over.
extension FleetStore {
    private static func start(of time: Timestamp, _ span: Span) -> Int64 {
        time.secondsSinceEpoch / span.rawValue * span.rawValue
    }

    /// The sketches of all devices, and of the kinds of clients with the most requests.
    private static func sketches(_ cells: [(CensusCell, CensusFigures)]) -> Sketches {
        var sums: [CensusReport.Line: CensusFigures] = [:]
        var all = HyperLogLog()
        for (cell, figures) in cells where figures.identified > 0 {
            all.merge(figures.devices)
            sums[CensusReport.Line(cell), default: CensusFigures()].add(figures)
        }
        let largest = sums.sorted { $0.value.requests > $1.value.requests }.prefix(Self.lineLimit)
        var sketches = Sketches(uniqueKeysWithValues: largest.map { ($0.key, $0.value.devices) })
        if !all.isEmpty { sketches[.none] = all }
        return sketches
    }

    /// Those of each hour that something may be missing of.
    private static func sketches(
        of census: CensusStore,
        since start: Timestamp,
        until now: Timestamp
    ) throws(CensusStore.Failure) -> [(hour: Int64, sketches: Sketches)] {
        let hour = Span.hour.rawValue
        let last = Self.start(of: now, .hour)
        var found: [(Int64, Sketches)] = []
        var next = max(Self.start(of: start, .hour), last - (Self.hoursAsked - 1) * hour)
        while next <= last {
            let rows = try census.rows(
                since: Timestamp(secondsSinceEpoch: next),
                until: Timestamp(secondsSinceEpoch: next + hour)
            )
            found.append((next, Self.sketches(rows.map { ($0.cell, $0.figures) })))
            next += hour
        }
        return found
    }

    private func commands(for sketches: Sketches, at hour: Int64) -> [[[UInt8]]] {
        let own = "\(self.prefix):gate:\(Self.hex(self.gate))"
        let day = hour / Span.day.rawValue * Span.day.rawValue
        return sketches.flatMap { line, sketch in
            let set = ["SET", own].map { Array($0.utf8) } + [sketch.redisBytes]
            return [set + RedisConnection.command("EX", "60")]
                + [(Span.hour, hour), (Span.day, day)].flatMap { span, start in
                    let key = self.key(of: line, span, start)
                    return [
                        RedisConnection.command("PFMERGE", key, own),
                        RedisConnection.command("EXPIRE", key, "\(span.kept)"),
                    ]
                }
        }
    }

    /// Stands before all keys of a fleet, in braces, so that a cluster keeps them in one place.
    private var prefix: String {
        "{versiongate:\(Self.hex(self.settings.hash.hash(Array("fleet".utf8).span)))}"
    }

    private func key(of line: CensusReport.Line?, _ span: Span, _ start: Int64) -> String {
        // Words of clients stay here.
        let name = line.map { Self.hex(self.settings.hash.hash(Array($0.text.utf8).span)) } ?? "all"
        return "\(self.prefix):\(span):\(start):\(name)"
    }

    private static func hex(_ number: UInt64) -> String { String(number, radix: 16) }
}

/// The question.
extension FleetStore {
    /// The devices of the fleet since a second, by whole hours, of more than two days by whole days.
    ///
    /// It waits for the store likewise.
    ///
    /// - Returns: `nil` if the store is away.
    func counts(
        of lines: [CensusReport.Line],
        since start: Timestamp,
        until now: Timestamp
    ) -> Counts? {
        let isShort = start.seconds(until: now) <= Self.hoursAsked * Span.hour.rawValue
        let span = isShort ? Span.hour : .day
        let starts = stride(
            from: Self.start(of: start, span),
            through: Self.start(of: now, span),
            by: Int(span.rawValue)
        )
        let asked = [nil] + lines.prefix(Self.lineLimit).map(Optional.some)
        let commands = asked.map { line in
            [Array("PFCOUNT".utf8)] + starts.map { Array(self.key(of: line, span, $0).utf8) }
        }
        return self.state.withLock { state in
            guard now >= state.nextAttempt else { return nil }
            do throws(RedisConnection.Failure) {
                let answers = try self.connection(&state).ask(commands)
                return Counts(
                    total: Int(answers[0]),
                    lines: Dictionary(zip(lines, answers.dropFirst().map(Int.init))) { $0 + $1 }
                )
            } catch {
                self.fail("\(error)", &state, at: now)
                return nil
            }
        }
    }
}
