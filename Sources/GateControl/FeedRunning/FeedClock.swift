internal import GatePolicy

/// The time that a feed goes by, and how it is waited for.
struct FeedClock: Sendable {
    let now: @Sendable () -> FeedMachine.Moment
    /// Returns after so many seconds.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    let sleep: @Sendable (_ seconds: Double) async throws -> Void

    /// The machine's own, from 0 on.
    static func system() -> FeedClock {
        let start = ContinuousClock.now
        return FeedClock {
            FeedMachine.Moment(
                uptime: start.duration(to: .now) / .seconds(1),
                time: SystemClock.now().secondsSinceEpoch
            )
        } sleep: {
            try await Task.sleep(for: .seconds($0))
        }
    }
}
