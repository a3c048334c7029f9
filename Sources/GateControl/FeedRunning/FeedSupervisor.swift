package import GateFeeds
internal import GatePolicy
internal import GateRules
package import GateSystem
package import Logging

/// Runs the feeds in the rules file, and follows changes to the file.
package struct FeedSupervisor: Sendable {
    private let reloader: RulesReloader
    private let coordinator: FeedCoordinator
    private let hooks: FeedHooks
    private let trust: TrustedAuthorities
    private let logger: Logger

    package init(
        reloader: RulesReloader,
        coordinator: FeedCoordinator,
        hooks: FeedHooks,
        trust: TrustedAuthorities,
        logger: Logger
    ) {
        self.reloader = reloader
        self.coordinator = coordinator
        self.hooks = hooks
        self.trust = trust
        self.logger = logger
    }

    /// Runs the feeds until the task is canceled.
    package func run() async {
        var running: [FeedDefinition]? = []
        // The fetcher's thread is started only if there are feeds.
        var fetcher: Fetcher?
        while let feeds = running {
            await self.coordinator.keepOnly(feeds)
            if !feeds.isEmpty, fetcher == nil { fetcher = self.makeFetcher() }
            running = await withTaskGroup { group in
                for runner in self.runners(of: feeds, fetcher) {
                    group.addTask {
                        await runner.run()
                        return [FeedDefinition]?.none
                    }
                }
                group.addTask { await self.change(of: feeds) }
                // Runners end only when the group is canceled after a change.
                var changed: [FeedDefinition]?
                for await next in group {
                    changed = next ?? changed
                    group.cancelAll()
                }
                return changed
            }
        }
    }

    private func runners(of feeds: [FeedDefinition], _ fetcher: Fetcher?) -> [FeedRunner] {
        guard let fetcher else { return [] }
        var hooks: [String: FeedHooks.Hook] = [:]
        let runners = feeds.map { feed in
            let wakeup = FeedWakeup()
            hooks[feed.id] = feed.webhook.map { .init(webhook: $0, wakeup: wakeup) }
            return FeedRunner(feed, coordinator: self.coordinator, fetcher: fetcher, wakeup: wakeup)
        }
        self.hooks.use(hooks)
        return runners
    }

    private func makeFetcher() -> Fetcher? {
        do throws(FetchFailure) {
            return try Fetcher(trust: self.trust)
        } catch {
            self.logger.critical("feeds cannot be fetched", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Waits until the rules define different feeds, and returns these feeds, or `nil` once
    /// the task is canceled.
    private func change(of feeds: [FeedDefinition]) async -> [FeedDefinition]? {
        for await next in self.reloader.feeds {
            if next != feeds { return next }
            // The rules have changed, but the feeds have not.
            await self.coordinator.retryRefused(at: SystemClock.now().secondsSinceEpoch)
        }
        return nil
    }
}
