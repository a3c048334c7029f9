import GateControl
import GateProxy
import Logging
import ServiceLifecycle

/// Asks the feeds that the rules name.
struct FeedService: Service {
    let reloader: RulesReloader
    let feeds: RememberedFeeds
    let server: GateServer
    let logger: Logger

    func run() async throws {
        let server = self.server
        let desk = FeedDesk(
            reloader: self.reloader,
            store: self.feeds.store,
            logger: self.logger
        ) { feed, time in await server.confirm(feed, at: time) }
        let supervisor = FeedSupervisor(
            reloader: self.reloader,
            desk: desk,
            trust: self.feeds.trust,
            logger: self.logger
        )
        await cancelWhenGracefulShutdown { await supervisor.run() }
    }
}
