import GatePolicy
import GateTestSupport
import Synchronization
import Testing

@testable import GateControl

/// A source that says much in a moment, by the runner's own clock.
@Suite(.timeLimit(.minutes(2)))
struct FeedRunnerPaceTests {
    /// Says what a test wants said, and ends its stream as the test wants it ended.
    private struct ScriptedSource: FeedSource {
        enum Line: Sendable {
            case says(FeedAnswer)
            case ends
            case fails(FeedFailure)
        }

        let summary = "a script"
        let subject = FeedSubject.anything
        let lines: AsyncStream<Line>
        let heard: @Sendable () -> Void

        func follow(
            _ context: FeedContext,
            deliver: (FeedAnswer) async -> Void
        ) async throws(FeedFailure) -> FeedEnd {
            for await line in self.lines {
                switch line {
                case .says(let answer):
                    await deliver(answer)
                    self.heard()
                case .ends: return .interrupted
                case .fails(let failure): throw failure
                }
            }
            return .complete
        }
    }

    /// A feed that runs, what is kept of it, and what came into force.
    private struct Stage {
        let folder: TemporaryFolder
        let script: AsyncStream<ScriptedSource.Line>.Continuation
        /// The minimum of each rule set that came into force.
        let published: Watched<[String]>
        /// How much of the script the runner has let pass.
        let heard: Watched<Int>
        let desk: FeedDesk
        let store: FeedStore
        let running: Task<Void, Never>

        /// Says all, and waits until the runner has heard it.
        func say(_ answers: [FeedAnswer]) async throws {
            let before = self.heard.current
            for answer in answers { self.script.yield(.says(answer)) }
            try await Self.wait { self.heard.current == before + answers.count }
        }

        func say(_ minimums: ClosedRange<Int>) async throws {
            try await self.say(minimums.map { FeedRunnerPaceTests.value("1.\($0)") })
        }

        /// What is kept for a restart.
        var kept: FeedAnswer? { self.store.entries { _ in }["a"].map { .value($0.value) } }

        var status: FeedStatus? { get async { await self.desk.statuses.first } }

        static func wait(until isSo: () async -> Bool) async throws {
            let deadline = Deadline.after(.seconds(40))
            while !(await isSo()) {
                try #require(!deadline.hasPassed)
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private static func value(_ minimum: String) -> FeedAnswer {
        .value(
            FeedValue(
                document: """
                    rules: [{ id: a, minimum: '\(minimum)', storeUrl: 'https://a.example' }]

                    """
            )
        )
    }

    /// Runs a feed beside a file whose test lets version 5 pass.
    private func run(_ body: (Stage) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let file = """
            feeds: [{ id: a, source: https, url: "https://a.example" }]
            tests:
            - name: the newest app goes on
              request: { version: "5.0" }
              expect: { decision: allow }
            """
        let loaded = try RulesFileLoader.load(sources: [("r", file)])
        let (published, heard) = (Watched<[String]>([]), Watched(0))
        let log = LogRecorder()
        let reloader = RulesReloader(
            current: loaded,
            logger: log.logger,
            load: { (_, feeds, _) throws(RulesFileErrors) in
                try RulesFileLoader.load(loaded.sources, feeds: feeds)
            },
            publish: { rules in
                published.update { $0 += rules.definition.rules.compactMap(\.minimum?.description) }
            }
        )
        let store = FeedStore(StateFolder(path: folder.path(of: "state")))
        let desk = FeedDesk(reloader: reloader, store: store, logger: log.logger)
        let named = try #require(loaded.feeds.first)
        let (lines, script) = AsyncStream.makeStream(of: ScriptedSource.Line.self)
        let source = ScriptedSource(lines: lines) { heard.update { $0 += 1 } }
        let feed = FeedDefinition(
            id: named.id,
            kind: named.kind,
            place: named.place,
            timing: named.timing,
            source: source,
            fingerprint: named.fingerprint,
            accepted: []
        )
        let runner = FeedRunner(feed, desk: desk, fetcher: try Fetcher(), bell: FeedBell())
        let stage = Stage(
            folder: folder,
            script: script,
            published: published,
            heard: heard,
            desk: desk,
            store: store,
            running: Task { await runner.run() }
        )
        defer { stage.running.cancel() }
        try await body(stage)
    }

    @Test func `a thousand values in a row are few that come into force, the last among them`()
        async throws
    {
        try await self.run { stage in
            let start = ContinuousClock.now
            try await stage.say(1...1)
            #expect(stage.published.current == ["1.1"])
            try await stage.say(2...1000)
            try await Stage.wait { stage.published.current.last == "1.1000" }
            let passed = start.duration(to: .now) / .seconds(1)
            #expect(Double(stage.published.current.count) <= passed / FeedPace.interval + 2)
            #expect(stage.published.current.count < 500)
            try await Stage.wait { await stage.status?.state == .fresh }
            #expect(stage.kept == Self.value("1.1000"))
        }
    }

    @Test func `values that may not be taken leave the last one that was, and the next mends it`()
        async throws
    {
        try await self.run { stage in
            try await stage.say(1...1)
            try await stage.say((1...200).map { Self.value("9.\($0)") })
            try await Stage.wait { await stage.status?.state == .failing }
            #expect(stage.published.current == ["1.1"])
            let status = try #require(await stage.status)
            #expect(status.lastError?.contains("the newest app goes on") == true)
            try await stage.say(2...2)
            try await Stage.wait { await stage.status?.state == .fresh }
            #expect(stage.published.current == ["1.1", "1.2"])
        }
    }

    @Test func `a source that fails is told of after what it said before`() async throws {
        for line in [ScriptedSource.Line.fails(.content("revoked")), .ends] {
            try await self.run { stage in
                try await stage.say(1...3)
                stage.script.yield(line)
                try await Stage.wait { stage.published.current.last == "1.3" }
                guard case .fails = line else { return }
                try await Stage.wait { await stage.status?.state == .failing }
                #expect(await stage.status?.lastError == "revoked")
                #expect(stage.kept == Self.value("1.3"))
            }
        }
    }

    @Test func `what was said just before the stop is in force and kept`() async throws {
        try await self.run { stage in
            try await stage.say(1...50)
            stage.running.cancel()
            await stage.running.value
            #expect(stage.published.current.last == "1.50")
            #expect(stage.kept == Self.value("1.50"))
        }
    }
}
