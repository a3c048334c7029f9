import GateTestSupport
import Testing

@testable import GateControl

/// A feed that is asked for real, by a clock that stands still in between.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct FeedRunnerTests {
    private let log = LogRecorder()
    private let bell = FeedBell()
    private let clock = ManualFeedClock()

    /// Runs the one feed of a file for as long as the body takes.
    private func run(
        _ feed: String,
        _ body: (FeedDesk) async throws -> Void
    ) async throws {
        let loaded = try RulesFileLoader.load(sources: [("r", "feeds: [{ id: a, \(feed) }]\n")])
        let reloader = RulesReloader(
            current: loaded,
            logger: self.log.logger,
            load: { (_, feeds, _) throws(RulesFileErrors) in
                try RulesFileLoader.load(loaded.sources, feeds: feeds)
            },
            publish: { _ in }
        )
        let desk = FeedDesk(reloader: reloader, store: nil, logger: self.log.logger)
        let definition = try #require(loaded.feeds.first)
        let runner = FeedRunner(
            definition,
            desk: desk,
            fetcher: try Fetcher(),
            bell: self.bell,
            clock: self.clock.clock
        )
        let running = Task(executorPreference: BlockingExecutor.shared) { await runner.run() }
        defer { running.cancel() }
        try await body(desk)
    }

    private func status(_ desk: FeedDesk) async throws -> FeedStatus {
        try #require(await desk.statuses.first)
    }

    /// Suspends until the runner rests, with no ring unheard, for so many more seconds.
    @discardableResult
    private func rest(_ seconds: ClosedRange<Double>) async throws -> Double {
        try Deadline.usual.poll("a runner at its bell") { self.bell.isAwaited ? true : nil }
        return try await self.clock.sleeper("a rest of \(seconds)", for: seconds)
    }

    @Test func `a stream that goes on with nothing good to say turns stale`() async throws {
        let database = try RealtimeDatabase()
        database.put(#"{"minVersion":"2.0.0","storeUrl":"https://a.example"}"#)
        let feed = """
            source: firebaseDatabase, database: '\(database.server.url("/"))', every: 1s, \
            path: \(database.path), redirectsTo: localhost, staleAfter: 2s
            """
        try await self.run(feed) { desk in
            try await self.log.says("info feed taken")
            database.send("put", #"{"path":"/","data":null}"#)
            try await self.log.says("warning feed failed; what it said last stays")
            // It has been confirmed, and sleeps until then.
            try await self.clock.sleeper("the end of what it said", for: 1...2)
            database.send("keep-alive", "null")
            self.clock.pass(1)
            database.send("keep-alive", "null")
            #expect(try await self.status(desk).state == .failing)
            self.clock.pass(1)
            try await self.log.says("warning feed is stale")
            let status = try await self.status(desk)
            #expect(status.state == .stale)
            let error = "expected an object in the database, found nothing at this 'path'"
            #expect(status.lastError == error)
            #expect(status.revision != nil)
            #expect(status.nextAt == nil)
            #expect(database.listeners == 1)
            database.put(#"{"minVersion":"3.0.0","storeUrl":"https://a.example"}"#)
            try await self.log.says("info feed taken", times: 2)
            #expect(try await self.status(desk).state == .fresh)
        }
    }

    @Test func `a hundred rings in a moment are one question more, a second after the last`()
        async throws
    {
        let source = try FileSource()
        source.put("rules: []\n", at: "/")
        let hour = 3600.0...4000
        try await self.run("source: https, url: '\(source.server.url("/"))', every: 1h") { desk in
            try await self.rest(hour)
            #expect(try await self.status(desk).state == .fresh)
            #expect(try await self.status(desk).nextAt != nil)
            self.clock.pass(1)
            self.bell.ring()
            try await self.rest(hour)
            #expect(source.server.requests.count == 2)
            for _ in 0..<100 {
                self.bell.ring()
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

    @Test func `a source that wants to be left alone is, whoever rings`() async throws {
        let source = try FileSource()
        source.server.set(.throttled)
        try await self.run("source: https, url: '\(source.server.url("/"))', every: 1h") { desk in
            let wait = try await self.rest(1...1.1)
            self.bell.ring()
            #expect(try await self.rest(1...1.1) == wait)
            self.clock.pass(0.9)
            #expect(try await self.status(desk).failures == 1)
            self.clock.pass(0.2)
            try await self.log.says("debug feed failed again")
            #expect(try await self.status(desk).failures == 2)
            #expect(source.server.requests.count == 2)
        }
    }
}
