import Foundation

/// The clock, timer and randomness of a client, injected so that tests can control them.
struct ClientEnvironment: Sendable {
    var now: @Sendable () -> Date
    /// Waits for the given number of seconds, or throws when the task is canceled.
    var sleep: @Sendable (_ seconds: TimeInterval) async throws -> Void
    /// Returns a random number from 0 up to, but not including, 1.
    var share: @Sendable () -> Double

    static let system = ClientEnvironment(
        now: { Date() },
        sleep: { seconds in
            // The gate may send any number; the bound of about 30 years keeps the nanoseconds within
            // `UInt64`.
            let bounded = min(max(0, seconds), 1_000_000_000)
            try await Task.sleep(nanoseconds: UInt64(bounded * 1_000_000_000))
        },
        share: { Double.random(in: 0..<1) }
    )

    /// Returns the result of `body`, or throws `URLError.timedOut` after the given number of seconds.
    func within<Result: Sendable>(
        _ seconds: TimeInterval,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                try await self.sleep(seconds)
                throw URLError(.timedOut)
            }
            guard let result = try await group.next() else { throw URLError(.unknown) }
            return result
        }
    }
}
