package import GateProxy
package import NIOCore

/// The data plane, as operators look at it.
package struct GateView: Sendable {
    /// Which build of the gate it is.
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

    /// - Parameters:
    ///   - release: Which build it is.
    ///   - statistics: Everything that is counted; `nil` when the gate ends.
    ///   - isHealthy: Whether its event loops have their turn; the future belongs to the event loop passed
    ///     in.
    ///   - isReady: Whether clients are to come.
    ///   - droppedLogLines: Lines that the log did not take since the start.
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
