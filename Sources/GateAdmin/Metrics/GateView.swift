package import GateProxy
package import NIOCore

/// The admin server's view of the data plane.
package struct GateView: Sendable {
    /// The version and commit of the gate.
    package struct Release: Sendable {
        package let version: String
        package let commit: String

        package init(version: String, commit: String) {
            self.version = version
            self.commit = commit
        }
    }

    let release: Release
    let statistics: @Sendable () async -> GateStatistics?
    let isHealthy: @Sendable (any EventLoop) -> EventLoopFuture<Bool>
    let isReady: @Sendable () -> Bool
    let droppedLogLines: @Sendable () -> UInt64

    /// Creates a view from functions that return the current state.
    ///
    /// - Parameters:
    ///   - release: The version and commit.
    ///   - statistics: Returns all counters; `nil` if the gate is shutting down.
    ///   - isHealthy: Returns whether the event loops respond; the future belongs to the event loop passed
    ///     in.
    ///   - isReady: Returns whether the gate accepts new clients.
    ///   - droppedLogLines: Returns the number of log lines dropped since startup.
    package init(
        release: Release = Release(version: "", commit: ""),
        statistics: @escaping @Sendable () async -> GateStatistics? = { GateStatistics() },
        isHealthy: @escaping @Sendable (any EventLoop) -> EventLoopFuture<Bool> = {
            $0.makeSucceededFuture(true)
        },
        isReady: @escaping @Sendable () -> Bool = { true },
        droppedLogLines: @escaping @Sendable () -> UInt64 = { 0 }
    ) {
        self.release = release
        self.statistics = statistics
        self.isHealthy = isHealthy
        self.isReady = isReady
        self.droppedLogLines = droppedLogLines
    }
}
