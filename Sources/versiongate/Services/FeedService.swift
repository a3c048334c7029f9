import GateControl
import Logging
import ServiceLifecycle

/// Runs the feeds that the rules configure.
struct FeedService: Service {
    let supervisor: FeedSupervisor

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.supervisor.run() }
    }
}
