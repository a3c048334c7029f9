import GatePolicy
import Synchronization

/// The streams of open long-lived exchanges.
///
/// The streams are distributed over several tables, so that Envoy's threads seldom wait for each other.
final class OpenStreams: Sendable {
    /// The maximum number of streams to wake at once in each table.
    ///
    /// All clients whose streams end may reconnect at the same time.
    static let wakeLimit = 250

    private static let tableCount = 16

    private let tables = (0..<OpenStreams.tableCount).map { _ in OpenStreamTable() }

    /// Returns the table for the streams of a thread.
    func table(ofThread number: Int) -> OpenStreamTable { self.tables[number % Self.tableCount] }

    var count: Int { self.tables.reduce(0) { $0 + $1.count } }

    /// Wakes the streams whose requests must be evaluated again, up to `wakeLimit` in each table.
    ///
    /// Only the watching thread calls this method.
    func wakeOutdated(by generation: Int, at now: Timestamp) {
        for table in self.tables { table.wakeOutdated(by: generation, at: now) }
    }
}

/// A table of open streams.
///
/// Envoy's threads add and remove their streams. The watching thread wakes the streams whose requests must be evaluated
/// again, so that new rules also apply to exchanges in which no data is sent.
final class OpenStreamTable: Sendable {
    /// The number of streams to check each time the lock is held; meanwhile, Envoy's threads may wait for the lock.
    private static let batchSize = 256

    fileprivate struct Entry {
        let scheduler: StreamScheduler
        /// The period in which the stream must not be woken; `nil` except for gRPC calls and held denials.
        let grace: UnaryGrace?
        var result: EvaluationResult
        /// Whether the stream has been woken since its last evaluation.
        var isWoken = false
    }

    fileprivate struct State {
        var entries: [Int: Entry] = [:]
        var lastNumber = 0
        /// The generation of the rules in the last pass over the entries.
        var passGeneration = 0
        /// The time at which the watching thread last checked whether a pass is due.
        var lastTime = Timestamp(secondsSinceEpoch: 0)
        /// The time of the next pass; `nil` if only new rules require one.
        var nextPass: Timestamp?
        /// The entries that the current pass has not yet checked.
        var pending: [Int] = []
    }

    private let state = Mutex(State())

    /// Adds a stream, and returns the number that identifies it in the table.
    func add(
        _ scheduler: StreamScheduler,
        _ result: EvaluationResult,
        grace: UnaryGrace?
    ) -> Int {
        self.state.withLock { state in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry(
                scheduler: scheduler,
                grace: grace,
                result: result
            )
            state.expect(result, grace)
            return state.lastNumber
        }
    }

    /// Replaces the result of a stream after another evaluation.
    func update(_ number: Int, _ result: EvaluationResult) {
        self.state.withLock { state in
            guard var entry = state.entries[number] else { return }
            (entry.result, entry.isWoken) = (result, false)
            state.entries[number] = entry
            state.expect(result, entry.grace)
        }
    }

    /// Removes a stream, which is then no longer woken.
    func remove(_ number: Int) {
        let removed = self.state.withLock { $0.entries.removeValue(forKey: number) }
        // The scheduler is deallocated after the lock is released, so that no other thread has to wait.
        withExtendedLifetime(removed) {}
    }

    var count: Int { self.state.withLock { $0.entries.count } }

    fileprivate func wakeOutdated(by generation: Int, at now: Timestamp) {
        guard self.state.withLock({ $0.hasPass(by: generation, at: now) }) else { return }
        var remaining = OpenStreams.wakeLimit
        var isDone = false
        while !isDone {
            // While this thread holds the lock, no stream can end, because a stream removes its entry before it ends.
            isDone = self.state.withLock { state in
                for _ in 0..<Self.batchSize {
                    guard remaining > 0, let number = state.pending.popLast() else { return true }
                    if state.wake(number, by: generation, at: now) { remaining -= 1 }
                }
                return false
            }
        }
    }
}

extension OpenStreamTable.State {
    /// Schedules the next pass for the time at which an entry must be checked.
    fileprivate mutating func expect(_ result: EvaluationResult, _ grace: UnaryGrace?) {
        let isOutdated = result.generation != self.passGeneration
        self.expect(isOutdated ? grace?.end ?? self.lastTime : result.verdict.validUntil)
    }

    private mutating func expect(_ time: Timestamp?) {
        guard let time else { return }
        self.nextPass = self.nextPass.map { min($0, time) } ?? time
    }

    /// Starts a pass if one is due.
    ///
    /// - Returns: Whether there are entries to check.
    fileprivate mutating func hasPass(by generation: Int, at now: Timestamp) -> Bool {
        // All verdicts expire if the clock is set back.
        if now < self.lastTime { self.nextPass = now }
        self.lastTime = now
        guard self.pending.isEmpty else { return true }
        let isDue = self.nextPass.map { $0 <= now } ?? false
        guard isDue || generation != self.passGeneration else { return false }
        (self.passGeneration, self.nextPass) = (generation, nil)
        self.pending = Array(self.entries.keys)
        return !self.pending.isEmpty
    }

    /// Wakes a stream if its request must be evaluated again, or if its denial has been held long enough.
    ///
    /// - Returns: Whether the stream counts toward `wakeLimit`.
    fileprivate mutating func wake(_ number: Int, by generation: Int, at now: Timestamp) -> Bool {
        guard let entry = self.entries[number], !entry.isWoken else { return false }
        let verdict = entry.result.verdict
        guard entry.result.generation != generation || !verdict.isValid({ now }) else {
            self.expect(verdict.validUntil)
            return false
        }
        if let grace = entry.grace, grace.contains(now) {
            self.expect(grace.end)
            return false
        }
        entry.scheduler.wake()
        self.entries[number]?.isWoken = true
        return entry.result.generation != EvaluationResult.outdated
    }
}

/// The verdict on a request, and the generation of the rules that it was evaluated against.
struct EvaluationResult: Sendable {
    /// The generation of a result that no rules have, so that the stream is woken at the end of its `grace`.
    static let outdated = -1

    let generation: Int
    let verdict: EnvoyVerdict
}
