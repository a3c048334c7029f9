package import GateCensus
internal import GatePolicy
package import Logging
private import Synchronization

/// The devices that all gates of a fleet have seen, merged as sketches in Redis or Valkey.
///
/// A gate sends the new sightings of each hour. Merging is idempotent, so after an outage the gate
/// can send the affected hours again, from its own census.
package final class FleetStore: Sendable {
    /// The address of the store, and the secret of the fleet.
    package struct Settings: Sendable {
        package var place: RedisServerSettings
        /// The hash for device IDs, which must be the same on all gates.
        package var hash: SipHash

        package init(place: RedisServerSettings, hash: SipHash) {
            self.place = place
            self.hash = hash
        }
    }

    /// The status of the store as seen by this gate, for metrics.
    package struct Status: Sendable, Equatable {
        /// Whether the last delivery succeeded.
        package var isUp = false
        /// The number of failed deliveries since startup.
        package var failures: UInt64 = 0
    }

    /// Estimated numbers of devices in the fleet.
    struct Counts: Sendable {
        let total: Int
        let lines: [CensusReport.Line: Int]
    }

    private typealias Span = CensusStore.Span

    /// The sketches by line; the key for the sketch of all devices is `nil`.
    private typealias Sketches = [CensusReport.Line?: HyperLogLog]

    /// The maximum number of lines to send per hour, and to include in a query; the lines with
    /// the most requests are chosen.
    private static let lineLimit = 200
    /// The length in hours of the longest period that is queried hour by hour, or resent after an
    /// outage.
    private static let hoursAsked: Int64 = 48
    /// The number of seconds without updates after which the store deletes the sketch of an hour or
    /// a day.
    private static let hourKept = 50 * 3_600
    private static let dayKept = 91 * 86_400
    /// The timeout in seconds for each step.
    private static let patience = 2
    /// The range of delays in seconds between attempts; the delay doubles with each failure.
    private static let pauses: ClosedRange<Int64> = 1...60

    private struct State {
        var connection: RedisConnection?
        var pause = FleetStore.pauses.lowerBound
        /// The time of the next attempt.
        var nextAttempt = Timestamp(secondsSinceEpoch: 0)
        /// The time from which counts may be missing in the store; `nil` if none are missing.
        var missingSince: Timestamp? = Timestamp(secondsSinceEpoch: 0)
        /// Whether the outage has been logged.
        var isTold = false
    }

    private let settings: Settings
    private let logger: Logger
    private let state = Mutex(State())
    private let lastStatus = Mutex(Status())
    /// A random number that distinguishes the keys of this gate from those of other gates.
    private let gate = UInt64.random(in: .min ... .max)

    package init(_ settings: Settings, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    package var status: Status { self.lastStatus.withLock { $0 } }

    /// Sends counts that are already in this gate's census.
    ///
    /// The call blocks for a few seconds if the store is slow, so it must not be made on an event
    /// loop.
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
                    ?? [(Span.hour.start(of: now), Self.sketches(bucket.cells.map { ($0, $1) }))]
                let commands = news.flatMap { self.commands(for: $0.sketches, at: $0.hour) }
                _ = try self.connection(&state).ask(commands)
                state.missingSince = nil
                self.report(nil, &state)
                let count = news.reduce(0) { $0 + $1.sketches.count }
                self.logger.debug("census delivered", metadata: ["sketches": "\(count)"])
            } catch {
                state.missingSince = state.missingSince ?? now
                self.fail("\(error)", &state, at: now)
            }
        }
    }

    /// Closes the connection, and schedules the next attempt.
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
            if state.isTold { self.logger.notice("the census store is available again") }
            state.isTold = false
            return
        }
        guard !state.isTold else { return }
        state.isTold = true
        self.logger.warning("the census store is unavailable", metadata: ["error": "\(problem)"])
    }
}

/// Sending counts.
extension FleetStore {
    /// Creates the sketches of all devices, and of the kinds of clients with the most requests.
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

    /// Creates the sketches of each hour for which counts may be missing.
    private static func sketches(
        of census: CensusStore,
        since start: Timestamp,
        until now: Timestamp
    ) throws(CensusStore.Failure) -> [(hour: Int64, sketches: Sketches)] {
        let hour = Span.hour.rawValue
        let last = Span.hour.start(of: now)
        let first = max(Span.hour.start(of: start), last - (Self.hoursAsked - 1) * hour)
        return try stride(from: first, through: last, by: Int(hour)).map {
            start throws(CensusStore.Failure) in
            let rows = try census.rows(
                since: Timestamp(secondsSinceEpoch: start),
                until: Timestamp(secondsSinceEpoch: start + hour)
            )
            return (start, Self.sketches(rows.map { ($0.cell, $0.figures) }))
        }
    }

    private func commands(for sketches: Sketches, at hour: Int64) -> [[[UInt8]]] {
        let own = "\(self.prefix):gate:\(Self.hex(self.gate))"
        return sketches.flatMap { line, sketch in
            let set = ["SET", own].map { Array($0.utf8) } + [sketch.redisBytes]
            return [set + RedisConnection.command("EX", "60")]
                + [(Span.hour, Self.hourKept), (.day, Self.dayKept)].flatMap { span, kept in
                    let key = self.key(of: line, span, span.start(of: hour))
                    return [
                        RedisConnection.command("PFMERGE", key, own),
                        RedisConnection.command("EXPIRE", key, "\(kept)"),
                    ]
                }
        }
    }

    /// The prefix of all keys of a fleet; the braces keep them in one slot of a cluster.
    private var prefix: String {
        "{versiongate:\(Self.hex(self.settings.hash.hash(Array("fleet".utf8).span)))}"
    }

    private func key(of line: CensusReport.Line?, _ span: Span, _ start: Int64) -> String {
        // The line is hashed, so that strings sent by clients do not leave the gate.
        let name = line.map { Self.hex(self.settings.hash.hash(Array($0.text.utf8).span)) } ?? "all"
        return "\(self.prefix):\(span):\(start):\(name)"
    }

    private static func hex(_ number: UInt64) -> String { String(number, radix: 16) }
}

/// Queries.
extension FleetStore {
    /// Returns the device counts of the fleet for the hours that overlap with a period, or for the
    /// days if the period is longer than two days.
    ///
    /// The call can block for seconds if the store is slow, so it must not be made on an event loop.
    ///
    /// - Returns: The numbers of devices; `nil` if the store is unavailable.
    func counts(of lines: [CensusReport.Line], in period: ReportPeriod) -> Counts? {
        let (start, now) = (period.since, period.until)
        let isShort = start.seconds(until: now) <= Self.hoursAsked * Span.hour.rawValue
        let span = isShort ? Span.hour : .day
        let starts = stride(
            from: span.start(of: start),
            through: span.start(of: now),
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
