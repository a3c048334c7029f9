@testable import GateFeeds
import GatePolicy
@testable import GateRecords
@testable import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateControl

/// A source that sends many values within a short time, tested with a manual clock.
@Suite(.ownThread, .timeLimit(.minutes(2 * GateExecutable.slowdown)))
struct FeedRunnerDebounceTests {
    /// A source whose values and end are controlled by the test.
    private struct ScriptedSource: FeedSource {
        enum Line: Sendable {
            case says(FeedResult)
            case ends
            case fails(FeedFailure)
        }

        let summary = "a script"
        let subject = FeedSubject.anything
        let lines: AsyncStream<Line>
        let heard: @Sendable () -> Void

        func follow(
            _ context: FeedContext,
            deliver: (FeedResult) async -> Void
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

    /// A running feed, its stored value and the applied rules.
    private struct Stage {
        let folder: TestFolder
        let script: AsyncStream<ScriptedSource.Line>.Continuation
        /// The minimum of each applied rule set.
        let published: Watched<[String]>
        /// The number of script lines that the runner has processed.
        let heard: Watched<Int>
        let log: LogRecorder
        let clock: ManualFeedClock
        let coordinator: FeedCoordinator
        let store: FeedStore
        let running: Task<Void, Never>

        /// Sends all answers, and waits until the runner has received them.
        func say(_ answers: [FeedResult]) async throws {
            let before = self.heard.current
            for answer in answers { self.script.yield(.says(answer)) }
            try await self.heard.reaches("the answers") { heard in
                heard == before + answers.count ? true : nil
            }
        }

        func say(_ minimums: ClosedRange<Int>) async throws {
            try await self.say(minimums.map { FeedRunnerDebounceTests.value("1.\($0)") })
        }

        /// The value stored for a restart.
        var kept: FeedResult? { self.store.entries { _ in }["a"].map { .value($0.value) } }

        var status: FeedStatus? { get async { await self.coordinator.statuses.first } }

        /// Advances the clock by the minimum interval between two values once the runner waits for
        /// it.
        func passInterval() async throws {
            try await self.clock.sleeper("the delayed value", for: 0...FeedDebounce.interval)
            self.clock.pass(FeedDebounce.interval)
        }

        /// Suspends until a minimum is active and the coordinator is idle.
        func isInForce(_ minimum: String) async throws {
            try await self.published.reaches(minimum) { $0.last == minimum ? true : nil }
            // The coordinator processes one call at a time.
            await self.coordinator.retryRefused(at: 0)
        }
    }

    private static func value(_ minimum: String) -> FeedResult {
        .value(
            FeedValue(
                document: """
                    rules: [{ id: a, minimum: '\(minimum)', storeUrl: 'https://a.example' }]

                    """
            )
        )
    }

    /// Runs a feed with a rules file whose test expects version 5 to be allowed.
    private func run(_ body: (Stage) async throws -> Void) async throws {
        let folder = try TestFolder()
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
            initial: .init(loaded),
            logger: log.logger,
            load: { (_, feeds, _) throws(RulesFileErrors) in
                try RulesFileLoader.load(loaded.sources, feeds: feeds)
            },
            publish: { rules in
                published.update { $0 += rules.definition.rules.compactMap(\.minimum?.description) }
            }
        )
        let store = FeedStore(StateFolder(path: folder.path(of: "state")))
        let coordinator = FeedCoordinator(reloader: reloader, store: store, logger: log.logger)
        let named = try #require(loaded.feeds.first)
        let (lines, script) = AsyncStream.makeStream(of: ScriptedSource.Line.self)
        let source = ScriptedSource(lines: lines) { heard.update { $0 += 1 } }
        let feed = FeedDefinition(
            id: named.id,
            kind: named.kind,
            place: named.place,
            timing: named.timing,
            source: source,
            webhook: nil,
            fingerprint: named.fingerprint,
            accepted: []
        )
        let clock = ManualFeedClock()
        let runner = FeedRunner(
            feed,
            coordinator: coordinator,
            fetcher: try Fetcher(),
            wakeup: FeedWakeup(),
            clock: clock.clock
        )
        let stage = Stage(
            folder: folder,
            script: script,
            published: published,
            heard: heard,
            log: log,
            clock: clock,
            coordinator: coordinator,
            store: store,
            running: Task(executorPreference: BlockingExecutor.shared) { await runner.run() }
        )
        defer { stage.running.cancel() }
        try await body(stage)
    }

    @Test func `of a thousand consecutive values, the first and the last are applied`()
        async throws
    {
        try await self.run { stage in
            try await stage.say(1...1)
            #expect(stage.published.current == ["1.1"])
            try await stage.say(2...1000)
            #expect(stage.published.current == ["1.1"])
            try await stage.passInterval()
            try await stage.isInForce("1.1000")
            #expect(stage.published.current == ["1.1", "1.1000"])
            #expect(await stage.status?.state == .fresh)
            #expect(stage.kept == Self.value("1.1000"))
        }
    }

    @Test func `the first value after a pause is applied at once`() async throws {
        try await self.run { stage in
            for minimum in 1...5 {
                try await stage.say(minimum...minimum)
                #expect(stage.published.current.last == "1.\(minimum)")
                stage.clock.pass(FeedDebounce.interval)
            }
        }
    }

    @Test func `after rejected values the previous one stays active until a valid one`()
        async throws
    {
        try await self.run { stage in
            try await stage.say(1...1)
            try await stage.say((1...200).map { Self.value("9.\($0)") })
            try await stage.passInterval()
            try await stage.log.says("error feed rejected; its last value stays active")
            #expect(stage.published.current == ["1.1"])
            let status = try #require(await stage.status)
            #expect(status.state == .failing)
            #expect(status.lastError?.contains("the newest app goes on") == true)
            try await stage.say(2...2)
            try await stage.passInterval()
            try await stage.isInForce("1.2")
            #expect(await stage.status?.state == .fresh)
            #expect(stage.published.current == ["1.1", "1.2"])
        }
    }

    @Test func `a failing source is reported after its last value is applied`() async throws {
        for line in [ScriptedSource.Line.fails(.content("revoked")), .ends] {
            try await self.run { stage in
                try await stage.say(1...3)
                stage.script.yield(line)
                try await stage.isInForce("1.3")
                guard case .fails = line else { return }
                try await stage.log.says("warning feed failed; its last value stays active")
                let status = try #require(await stage.status)
                #expect(status.state == .failing)
                #expect(status.lastError == "revoked")
                #expect(stage.kept == Self.value("1.3"))
            }
        }
    }

    @Test func `the last value before a stop is applied and stored`() async throws {
        try await self.run { stage in
            try await stage.say(1...50)
            stage.running.cancel()
            await stage.running.value
            #expect(stage.published.current.last == "1.50")
            #expect(stage.kept == Self.value("1.50"))
        }
    }
}
