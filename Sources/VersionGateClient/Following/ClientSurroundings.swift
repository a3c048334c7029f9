import Foundation

/// Time and chance, which come in from outside.
struct ClientSurroundings: Sendable {
    var now: @Sendable () -> Date
    /// Waits for so many seconds, or throws as soon as the task is cancelled.
    var sleep: @Sendable (_ seconds: TimeInterval) async throws -> Void
    /// A random number from 0 to below 1.
    var share: @Sendable () -> Double

    static let system = ClientSurroundings(
        now: { Date() },
        sleep: { seconds in
            // A gate may say any number: some thirty years are enough, and no more nanoseconds than fit.
            let bounded = min(max(0, seconds), 1_000_000_000)
            try await Task.sleep(nanoseconds: UInt64(bounded * 1_000_000_000))
        },
        share: { Double.random(in: 0..<1) }
    )

    /// Does something, and gives up after so many seconds.
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
