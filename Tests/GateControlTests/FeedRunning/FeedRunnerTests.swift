@testable import GateFeeds
@testable import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Testing

@testable import GateControl

/// A feed that fetches from a server, with a manual clock.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct FeedRunnerTests {
    private let log = LogRecorder()
    private let wakeup = FeedWakeup()
    private let clock = ManualFeedClock()

    /// Runs the only feed of a file while the body runs.
    private func run(
        _ feed: String,
        _ body: (FeedCoordinator) async throws -> Void
    ) async throws {
        let loaded = try RulesFileLoader.load(sources: [("r", "feeds: [{ id: a, \(feed) }]\n")])
        let reloader = RulesReloader(
            initial: .init(loaded),
            logger: self.log.logger,
            load: { (_, feeds, _) throws(RulesFileErrors) in
                try RulesFileLoader.load(loaded.sources, feeds: feeds)
            },
            publish: { _ in }
        )
        let coordinator = FeedCoordinator(reloader: reloader, store: nil, logger: self.log.logger)
        let definition = try #require(loaded.feeds.first)
        let runner = FeedRunner(
            definition,
            coordinator: coordinator,
            fetcher: try Fetcher(),
            wakeup: self.wakeup,
            clock: self.clock.clock
        )
        let running = Task(executorPreference: BlockingExecutor.shared) { await runner.run() }
        defer { running.cancel() }
        try await body(coordinator)
    }

    private func status(_ coordinator: FeedCoordinator) async throws -> FeedStatus {
        try #require(await coordinator.statuses.first)
    }

    /// Suspends until the runner sleeps for this many more seconds, without pending calls.
    @discardableResult
    private func rest(_ seconds: ClosedRange<Double>) async throws -> Double {
        try Deadline.usual.poll("a runner at rest") { self.wakeup.isAwaited ? true : nil }
        return try await self.clock.sleeper("a pause of \(seconds)", for: seconds)
    }

    @Test func `a stream that stays open without valid data becomes stale`() async throws {
        let database = try RealtimeDatabase()
        database.put(#"{"minVersion":"2.0.0","storeUrl":"https://a.example"}"#)
        let feed = """
            source: firebaseDatabase, database: '\(database.server.url("/"))', every: 1s, \
            path: \(database.path), redirectsTo: localhost, staleAfter: 2s
            """
        try await self.run(feed) { coordinator in
            try await self.log.says("info feed applied")
            database.send("put", #"{"path":"/","data":null}"#)
            try await self.log.says("warning feed failed; its last value stays active")
            // The value is confirmed, and the runner sleeps until it is stale.
            try await self.clock.sleeper("the end of the value's validity", for: 1...2)
            database.send("keep-alive", "null")
            self.clock.pass(1)
            database.send("keep-alive", "null")
            #expect(try await self.status(coordinator).state == .failing)
            self.clock.pass(1)
            try await self.log.says("warning feed is stale")
            let status = try await self.status(coordinator)
            #expect(status.state == .stale)
            let error = "expected an object, found nothing at this location"
            #expect(status.lastError == error)
            #expect(status.revision != nil)
            #expect(status.nextAt == nil)
            #expect(database.listeners == 1)
            database.put(#"{"minVersion":"3.0.0","storeUrl":"https://a.example"}"#)
            try await self.log.says("info feed applied", times: 2)
            #expect(try await self.status(coordinator).state == .fresh)
        }
    }

    @Test func `a hundred concurrent calls cause one fetch, a second after the last fetch`()
        async throws
    {
        let source = try FileSource()
        source.put("rules: []\n", at: "/")
        let hour = 3600.0...4000
        try await self.run("source: https, url: '\(source.server.url("/"))', every: 1h") {
            coordinator in
            try await self.rest(hour)
            #expect(try await self.status(coordinator).state == .fresh)
            #expect(try await self.status(coordinator).nextAt != nil)
            self.clock.pass(1)
            self.wakeup.wake()
            try await self.rest(hour)
            #expect(source.server.requests.count == 2)
            for _ in 0..<100 {
                self.wakeup.wake()
                await Task.yield()
            }
            #expect(try await self.rest(0...1) == 1)
            self.clock.pass(0.5)
            #expect(try await self.rest(0...1) == 0.5)
            #expect(source.server.requests.count == 2)
            self.clock.pass(0.5)
            try await self.rest(hour)
            #expect(source.server.requests.count == 3)
        }
    }

    @Test func `a source's Retry-After is honored despite calls`() async throws {
        let source = try FileSource()
        source.server.set(.throttled)
        try await self.run("source: https, url: '\(source.server.url("/"))', every: 1h") {
            coordinator in
            let wait = try await self.rest(1...1.1)
            self.wakeup.wake()
            #expect(try await self.rest(1...1.1) == wait)
            self.clock.pass(0.9)
            #expect(try await self.status(coordinator).failures == 1)
            self.clock.pass(0.2)
            try await self.log.says("debug feed failed again")
            #expect(try await self.status(coordinator).failures == 2)
            #expect(source.server.requests.count == 2)
        }
    }
}
