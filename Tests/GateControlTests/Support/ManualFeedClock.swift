import GateFeeds
import GateTestSupport
import Synchronization

@testable import GateControl

/// A clock for feeds that only the test advances.
final class ManualFeedClock: Sendable {
    private struct Sleeper {
        let number: Int
        let end: Double
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var uptime = 0.0
        var sleepers: [Sleeper] = []
        var lastNumber = 0

        var waits: [Double] { self.sleepers.map { $0.end - self.uptime } }
    }

    /// The initial time in seconds since 1970.
    private static let start: Int64 = 1_800_000_000

    private let state = Watched(State())

    var clock: FeedClock {
        FeedClock {
            let uptime = self.state.current.uptime
            return FeedSchedule.Moment(uptime: uptime, time: Self.start + Int64(uptime))
        } sleep: {
            try await self.sleep($0)
        }
    }

    /// Suspends until a task sleeps for this many more seconds; returns the number of seconds.
    @discardableResult
    func sleeper(
        _ awaited: String = "a sleeper",
        for seconds: ClosedRange<Double> = 0...(.infinity)
    ) async throws -> Double {
        try await self.state.reaches(awaited) { state in
            state.waits.first(where: seconds.contains)
        }
    }

    /// Advances the clock, and wakes the tasks that are due.
    ///
    /// A task that is about to sleep must be asleep before the call; see `sleeper`.
    func pass(_ seconds: Double) {
        let woken = self.state.update { state in
            state.uptime += seconds
            let woken = state.sleepers.filter { $0.end <= state.uptime }
            state.sleepers.removeAll { $0.end <= state.uptime }
            return woken
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    private func sleep(_ seconds: Double) async throws {
        let number = self.state.update { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = self.state.update { state in
                    guard !Task.isCancelled else { return true }
                    let end = state.uptime + seconds
                    let sleeper = Sleeper(number: number, end: end, continuation: continuation)
                    state.sleepers.append(sleeper)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let cancelled = self.state.update { state in
                let index = state.sleepers.firstIndex { $0.number == number }
                return index.map { state.sleepers.remove(at: $0) }
            }
            cancelled?.continuation.resume(throwing: CancellationError())
        }
    }
}
