import GatePolicy
import Synchronization

/// The long-lived exchanges that are open.
///
/// Envoy's threads add and remove their streams. The watching thread wakes those whose requests must be evaluated again, so
/// that new rules also apply to exchanges in which nothing is sent.
final class OpenStreams: Sendable {
    /// The maximum number of streams to wake at once: clients whose streams end may all connect again immediately.
    static let wakeLimit = 1_000

    private struct Entry {
        let scheduler: StreamScheduler
        var generation: Int
        var verdict: EnvoyVerdict
        /// Whether the stream was woken since its last evaluation.
        var isWoken = false
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Adds a stream.
    ///
    /// `generation`: the generation of the rules that the request was evaluated against, with the verdict as the result.
    ///
    /// - Returns: The number of the stream.
    func add(_ scheduler: StreamScheduler, _ generation: Int, _ verdict: EnvoyVerdict) -> Int {
        self.state.withLock { state in
            state.lastNumber += 1
            state.entries[state.lastNumber] = Entry(
                scheduler: scheduler,
                generation: generation,
                verdict: verdict
            )
            return state.lastNumber
        }
    }

    /// Notes the result of an evaluation after the stream was woken.
    func update(_ number: Int, _ generation: Int, _ verdict: EnvoyVerdict) {
        self.state.withLock { state in
            guard var entry = state.entries[number] else { return }
            (entry.generation, entry.verdict, entry.isWoken) = (generation, verdict, false)
            state.entries[number] = entry
        }
    }

    /// Removes a stream; it is not woken any more.
    func remove(_ number: Int) {
        self.state.withLock { _ = $0.entries.removeValue(forKey: number) }
    }

    var count: Int { self.state.withLock { $0.entries.count } }

    /// Wakes the streams whose requests must be evaluated again, at most `wakeLimit`.
    func wakeOutdated(by generation: Int, at now: Timestamp) {
        // A stream cannot end before its removal, which needs the lock.
        self.state.withLock { state in
            var remaining = Self.wakeLimit
            var index = state.entries.startIndex
            while index != state.entries.endIndex, remaining > 0 {
                let entry = state.entries.values[index]
                let isValid = entry.generation == generation && entry.verdict.isValid { now }
                if !isValid, !entry.isWoken {
                    entry.scheduler.wake()
                    state.entries.values[index].isWoken = true
                    remaining -= 1
                }
                state.entries.formIndex(after: &index)
            }
        }
    }
}
