import GateControl
import Logging
import ServiceLifecycle

/// Asks the feeds that the rules name.
struct FeedService: Service {
    let supervisor: FeedSupervisor

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.supervisor.run() }
    }
}
