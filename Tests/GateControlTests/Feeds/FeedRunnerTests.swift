import GateTestSupport
import Testing

@testable import GateControl

/// A feed that is asked for real, by its own clock.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FeedRunnerTests {
    private let log = LogRecorder()
    private let bell = FeedBell()

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
        let runner = FeedRunner(definition, desk: desk, fetcher: try Fetcher(), bell: self.bell)
        let running = Task { await runner.run() }
        defer { running.cancel() }
        try await body(desk)
    }

    private func wait(
        _ desk: FeedDesk,
        until isAwaited: (FeedStatus) -> Bool
    ) async throws -> FeedStatus {
        let deadline = Deadline.after(.seconds(40))
        while true {
            if let status = await desk.statuses.first, isAwaited(status) { return status }
            try #require(!deadline.hasPassed)
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func `a stream that goes on with nothing good to say turns stale`() async throws {
        let database = try RealtimeDatabase()
        database.put(#"{"minVersion":"2.0.0","storeUrl":"https://a.example"}"#)
        let feed = """
            source: firebaseDatabase, database: '\(database.server.url("/"))', every: 1s, \
            path: \(database.path), redirectsTo: localhost, staleAfter: 2s
            """
        try await self.run(feed) { desk in
            _ = try await self.wait(desk) { $0.state == .fresh }
            database.send("put", #"{"path":"/","data":null}"#)
            let deadline = Deadline.after(.seconds(40))
            while await desk.statuses.first?.state != .stale {
                database.send("keep-alive", "null")
                try #require(!deadline.hasPassed)
                try await Task.sleep(for: .milliseconds(50))
            }
            let status = try #require(await desk.statuses.first)
            #expect(status.lastError == "expected an object in the database, found nothing")
            #expect(status.revision != nil)
            #expect(status.nextAt == nil)
            #expect(database.listeners == 1)
            database.send("put", #"{"path":"/","data":{"minVersion":"3.0.0"}}"#)
            database.send("put", #"{"path":"/storeUrl","data":"https://a.example"}"#)
            _ = try await self.wait(desk) { $0.state == .fresh }
        }
    }

    @Test func `a hundred rings in a moment are two questions at most`() async throws {
        let source = try FileSource()
        source.put("rules: []\n", at: "/")
        try await self.run("source: https, url: '\(source.server.url("/"))', every: 1h") { desk in
            _ = try await self.wait(desk) { $0.state == .fresh && $0.nextAt != nil }
            try await Task.sleep(for: .seconds(1))
            #expect(source.server.requests.count == 1)
            let start = ContinuousClock.now
            for _ in 0..<100 {
                self.bell.ring()
                await Task.yield()
            }
            let rung = start.duration(to: .now).components.seconds
            try await Task.sleep(for: .seconds(3))
            // One at once, and at most one each second for as long as it rang.
            #expect(2...(3 + Int(rung)) ~= source.server.requests.count)
        }
    }

    @Test func `a source that wants to be left alone is, whoever rings`() async throws {
        let source = try FileSource()
        source.server.set(.throttled)
        try await self.run("source: https, url: '\(source.server.url("/"))', every: 1h") { desk in
            let status = try await self.wait(desk) { $0.state == .failing && $0.nextAt != nil }
            let next = try #require(status.nextAt)
            self.bell.ring()
            let again = try await self.wait(desk) { $0.failures == 2 }
            #expect(try #require(again.askedAt) >= next - 1)
            #expect(source.server.requests.count == 2)
        }
    }
}
