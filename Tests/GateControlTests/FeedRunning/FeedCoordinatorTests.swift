import GatePolicy
@testable import GateRecords
@testable import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateControl

/// Applying, rejecting, storing and restoring feed values.
@Suite(.ownThread)
struct FeedCoordinatorTests {
    /// A rules file with one feed, its reloader and its state folder.
    private final class Bench: Sendable {
        let folder: TestFolder
        let log = LogRecorder()
        let published = Mutex<[RuleSetDefinition]>([])
        let reloader: RulesReloader
        let store: FeedStore
        let coordinator: FeedCoordinator

        init(_ file: String = FeedCoordinatorTests.file()) async throws {
            let folder = try TestFolder()
            try folder.write(file, to: "rules.yaml")
            let store = FeedStore(StateFolder(path: folder.path(of: "state")))
            let loader = RulesFileLoader(path: folder.path(of: "rules.yaml"))
            self.reloader = RulesReloader(
                loader: loader,
                initial: .init(try loader.load()),
                logger: self.log.logger,
                publish: { _ in }
            )
            (self.folder, self.store) = (folder, store)
            self.coordinator = FeedCoordinator(
                reloader: self.reloader,
                store: store,
                logger: self.log.logger
            )
        }

        func feed() async throws -> FeedDefinition {
            try #require(await self.reloader.current?.feeds.first)
        }

        var rules: [String] {
            get async { await self.reloader.current?.definition.rules.map(\.id) ?? [] }
        }

        var status: FeedStatus {
            get async throws { try #require(await self.coordinator.statuses.first) }
        }
    }

    fileprivate static func file(_ keys: String = "", more: String = "") -> String {
        """
        feeds: [{ id: one, source: https, url: "https://a.example"\(keys) }]
        rules: [{ id: own, minimum: "1", storeUrl: "https://a.example" }]
        \(more)
        """
    }

    private func value(_ id: String, etag: String = "1") -> FeedValue {
        FeedValue(
            document: "rules: [{ id: \(id), minimum: '2', storeUrl: 'https://a.example' }]\n",
            memory: ["etag": etag]
        )
    }

    @Test func `a value that arrives while its feed becomes stale is applied and enforced`()
        async throws
    {
        let bench = try await Bench(Self.file(", every: 1s, staleAfter: 1h, whenStale: observe"))
        let feed = try await bench.feed()
        for round in 0..<100 {
            let time = Int64(10_000 * (round + 1))
            let next = self.value("next-\(round)")
            _ = await bench.coordinator.take(
                .value(self.value("last-\(round)")),
                of: feed,
                at: time
            )
            let isTaken = await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    await bench.coordinator.take(.value(next), of: feed, at: time + 3600)
                }
                group.addTask {
                    await bench.coordinator.turnStale(feed, at: time + 3600)
                    return true
                }
                return await group.allSatisfy { $0 }
            }
            #expect(isTaken)
            #expect(await bench.coordinator.last(of: feed) == next)
            let rule = await bench.reloader.current?.definition.rules.last
            #expect(rule?.id == "next-\(round)")
            #expect(rule?.mode == .enforce)
        }
    }

    @Test func `a valid value is merged, stored and logged`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        #expect(await bench.coordinator.begin(feed) == nil)
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        #expect(await bench.rules == ["own", "a"])
        #expect(await bench.coordinator.last(of: feed) == self.value("a"))
        let status = try await bench.status
        #expect(status.confirmedAt == 1000)
        #expect(status.changedAt == 1000)
        #expect(status.revision?.count == Revision.length)
        let kept = bench.store.entries { Issue.record("\($0)") }
        #expect(kept["one"]?.value == self.value("a"))
        #expect(kept["one"]?.confirmedAt == 1000)
        #expect(
            bench.log.lines.filter { $0.hasPrefix("info") } == [
                "info rules loaded", "info feed applied",
            ]
        )
    }

    @Test func `a value that makes the rules invalid changes nothing`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        for broken in [self.value("own"), FeedValue(document: ""), FeedValue(document: "rules: [")]
        {
            #expect(!(await bench.coordinator.take(.value(broken), of: feed, at: 2000)))
            #expect(await bench.rules == ["own", "a"])
        }
        let status = try await bench.status
        #expect(status.confirmedAt == 1000)
        #expect(status.lastError?.hasPrefix("feed:one:") == true)
        #expect(bench.store.entries { _ in }["one"]?.value == self.value("a"))
        #expect(await bench.reloader.status.lastReloadSuccessful)
        #expect(bench.log.lines.contains("error feed rejected; its last value stays active"))
    }

    /// A failing country, as a source reports it at the end of each fetch.
    private static let missing = FeedFailure.parts([
        ("gb", .content("the source responded with 400"))
    ])

    @Test func `a partial failure is logged once, regardless of the other parts`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        for round in 1...3 {
            for part in [self.value("a"), self.value("a", etag: "2"), self.value("b")] {
                #expect(
                    await bench.coordinator.take(.part(part), of: feed, at: Int64(1000 * round))
                )
                await bench.coordinator.fail(Self.missing, of: feed, failures: 1)
                let status = try await bench.status
                #expect(status.lastError == "gb: the source responded with 400")
                #expect((status.state, status.confirmedAt) == (.failing, Int64(1000 * round)))
            }
        }
        func told(_ message: String) -> Int { bench.log.lines.filter { $0 == message }.count }
        #expect(told("warning feed failed; its last value stays active") == 1)
        #expect(told("info feed recovered") == 0)
        #expect(await bench.coordinator.take(.value(self.value("b")), of: feed, at: 5000))
        #expect(try await bench.status.state == .fresh)
        #expect(told("info feed recovered") == 1)
        await bench.coordinator.fail(Self.missing, of: feed, failures: 1)
        #expect(told("warning feed failed; its last value stays active") == 2)
    }

    @Test func `a rejected part and an additional failure are each logged once`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        for failures in 1...3 {
            #expect(!(await bench.coordinator.take(.part(self.value("own")), of: feed, at: 1000)))
            await bench.coordinator.fail(Self.missing, of: feed, failures: failures)
            let status = try await bench.status
            #expect(status.lastError?.hasPrefix("feed:one:") == true)
            #expect(status.lastError?.hasSuffix("; gb: the source responded with 400") == true)
            #expect(status.failures == failures)
        }
        func told(_ message: String) -> Int { bench.log.lines.filter { $0 == message }.count }
        #expect(told("error feed rejected; its last value stays active") == 1)
        #expect(told("warning feed failed; its last value stays active") == 1)
        #expect(await bench.coordinator.take(.part(self.value("a")), of: feed, at: 2000))
        await bench.coordinator.fail(Self.missing, of: feed, failures: 1)
        #expect(try await bench.status.lastError == "gb: the source responded with 400")
    }

    @Test func `an unchanged value confirms the feed and clears its error`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        await bench.coordinator.fail(.fetch(.unreachable), of: feed, failures: 1)
        await bench.coordinator.fail(.fetch(.unreachable), of: feed, failures: 2)
        #expect(try await bench.status.failures == 2)
        #expect(try await bench.status.lastError == "\(FetchFailure.unreachable)")
        #expect(await bench.coordinator.take(.unchanged, of: feed, at: 1500))
        let status = try await bench.status
        #expect(status.confirmedAt == 1500)
        #expect(status.changedAt == 1000)
        #expect(status.lastError == nil)
        #expect(bench.store.entries { _ in }["one"]?.confirmedAt == 1500)
        let warnings = bench.log.lines.filter { $0.hasPrefix("warning feed ") }
        #expect(warnings == ["warning feed failed; its last value stays active"])
    }

    @Test func `a note about a value is logged once, stored and in the status`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        var value = self.value("a")
        value.notes = ["only they know"]
        for time in [1000, 1100] as [Int64] {
            #expect(await bench.coordinator.take(.value(value), of: feed, at: time))
        }
        #expect(try await bench.status.notes == ["only they know"])
        let told = { bench.log.lines.filter { $0 == "warning only they know" }.count }
        #expect(told() == 1)
        #expect(bench.store.entries { _ in }["one"]?.value.notes == ["only they know"])
        #expect(value.document.hasPrefix("# only they know\nrules:"))
        #expect(await bench.coordinator.take(.value(self.value("b")), of: feed, at: 1200))
        #expect(try await bench.status.notes == [])
    }

    @Test func `a feed that no longer has rules is logged`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        func told() -> [String] {
            bench.log.lines.filter { $0.contains("no longer provides rules") }
        }
        let nothing = FeedResult.value(FeedValue(document: "rules: []\n"))
        #expect(await bench.coordinator.take(nothing, of: feed, at: 900))
        #expect(told() == [])
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        #expect(await bench.coordinator.take(nothing, of: feed, at: 1100))
        #expect(told().count == 1)
        #expect(
            told().first?.contains(":1:9: the feed 'one' no longer provides rules: 'a' was removed")
                == true
        )
        let findings = try #require(await bench.reloader.current?.findings.warnings)
        #expect(findings.map(\.name).contains(.emptyFeed))
        // A change to the rules file is not a change at the source.
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1200))
        try bench.folder.write(
            Self.file().replacingOccurrences("a.example\" }]", with: "b.example\" }]"),
            to: "rules.yaml"
        )
        #expect(await bench.reloader.reload(reason: .fileChanged).lastReloadSuccessful)
        #expect(told().count == 1)
    }

    @Test func `a stream that continues after invalid data does not confirm the value`()
        async throws
    {
        let bench = try await Bench()
        let feed = try await bench.feed()
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        #expect(await bench.coordinator.take(.alive, of: feed, at: 1100))
        for answer in [FeedResult.nonsense(.content("nothing")), .value(self.value("own"))] {
            #expect(!(await bench.coordinator.take(answer, of: feed, at: 1200)))
            #expect(!(await bench.coordinator.take(.alive, of: feed, at: 1300)))
            #expect(try await bench.status.confirmedAt == 1100)
            #expect(try await bench.status.state == .failing)
        }
        #expect(await bench.coordinator.take(.value(self.value("b")), of: feed, at: 1400))
        #expect(await bench.coordinator.take(.alive, of: feed, at: 1500))
        #expect(try await bench.status.confirmedAt == 1500)
    }

    @Test func `the status distinguishes the states of a feed`() async throws {
        let bench = try await Bench(Self.file(", every: 1s, staleAfter: 1h, whenStale: observe"))
        let feed = try await bench.feed()
        _ = await bench.coordinator.begin(feed)
        var status = try await bench.status
        #expect((status.kind, status.state) == ("https", .waiting))
        #expect(!status.hasWebhook)
        await bench.coordinator.beginFetch(to: feed, at: 990)
        await bench.coordinator.fail(.fetch(.unreachable), of: feed, failures: 1)
        await bench.coordinator.rest(feed, until: 999)
        status = try await bench.status
        #expect((status.state, status.askedAt, status.nextAt) == (.failing, 990, 999))
        await bench.coordinator.beginFetch(to: feed, at: 999)
        #expect(try await bench.status.nextAt == nil)
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        #expect(try await bench.status.state == .fresh)
        await bench.coordinator.turnStale(feed, at: 4600)
        status = try await bench.status
        #expect((status.state, status.isObserved) == (.stale, true))
        #expect(await bench.coordinator.take(.unchanged, of: feed, at: 9000))
        status = try await bench.status
        #expect((status.state, status.isObserved) == (.fresh, false))
    }

    @Test func `a new ETag of the same rules is stored without a reload`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        #expect(
            await bench.coordinator.take(.value(self.value("a", etag: "2")), of: feed, at: 1001)
        )
        #expect(await bench.coordinator.last(of: feed)?.memory == ["etag": "2"])
        #expect(try await bench.status.changedAt == 1000)
        #expect(bench.log.lines.filter { $0 == "info rules loaded" }.count == 1)
    }

    @Test func `a rejected value is retried when the rules change`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        #expect(!(await bench.coordinator.take(.value(self.value("own")), of: feed, at: 1000)))
        let file = Self.file().replacingOccurrences("id: own", with: "id: mine")
        try bench.folder.write(file, to: "rules.yaml")
        #expect(await bench.reloader.reload(reason: .signal).lastReloadSuccessful)
        await bench.coordinator.retryRefused(at: 1100)
        #expect(await bench.rules == ["mine", "own"])
        #expect(try await bench.status.lastError == nil)
    }

    @Test func `a retried part does not clear the error about the missing part`() async throws {
        let bench = try await Bench()
        let feed = try await bench.feed()
        #expect(!(await bench.coordinator.take(.part(self.value("own")), of: feed, at: 1000)))
        await bench.coordinator.fail(Self.missing, of: feed, failures: 1)
        let file = Self.file().replacingOccurrences("id: own", with: "id: mine")
        try bench.folder.write(file, to: "rules.yaml")
        #expect(await bench.reloader.reload(reason: .signal).lastReloadSuccessful)
        await bench.coordinator.retryRefused(at: 1100)
        #expect(await bench.rules == ["mine", "own"])
        let status = try await bench.status
        #expect(status.state == .failing)
        #expect(status.lastError == "gb: the source responded with 400")
    }

    @Test func `an invalid file does not block feeds, and a feed does not hide the error`()
        async throws
    {
        let bench = try await Bench()
        let feed = try await bench.feed()
        try bench.folder.write("ruels: []\n", to: "rules.yaml")
        #expect(!(await bench.reloader.reload(reason: .signal).lastReloadSuccessful))
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        #expect(await bench.rules == ["own", "a"])
        let status = await bench.reloader.status
        #expect(!status.lastReloadSuccessful)
        #expect(status.revision == (await bench.reloader.current?.definition.revision))
    }

    @Test func `a reload keeps feed values, and a failing test rejects all`()
        async throws
    {
        let bench = try await Bench()
        let feed = try await bench.feed()
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        let test = "tests: [{ name: t, request: { version: '1.5' }, expect: { decision: allow } }]"
        try bench.folder.write(Self.file(more: test), to: "rules.yaml")
        #expect(!(await bench.reloader.reload(reason: .signal).lastReloadSuccessful))
        #expect(await bench.rules == ["own", "a"])
        try bench.folder.write(Self.file(more: "# right"), to: "rules.yaml")
        #expect(await bench.reloader.reload(reason: .signal).lastReloadSuccessful)
        #expect(await bench.rules == ["own", "a"])
    }

    @Test(arguments: [("keep", RuleMode.enforce), ("observe", .observe)])
    func `a stale feed follows its policy until it is confirmed`(
        policy: String,
        mode: RuleMode
    ) async throws {
        let keys = ", every: 1s, staleAfter: 1h, whenStale: \(policy)"
        let bench = try await Bench(Self.file(keys))
        let feed = try await bench.feed()
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        await bench.coordinator.turnStale(feed, at: 4600)
        #expect(await bench.reloader.current?.definition.rules.map(\.mode) == [.enforce, mode])
        #expect(try await bench.status.isStale)
        #expect(await bench.coordinator.take(.unchanged, of: feed, at: 9000))
        #expect(await bench.reloader.current?.definition.rules.map(\.mode) == [.enforce, .enforce])
        #expect(try await !bench.status.isStale)
    }

    @Test func `a stored value is restored after a restart if its entry is unchanged`() async throws
    {
        let bench = try await Bench()
        let feed = try await bench.feed()
        #expect(await bench.coordinator.take(.value(self.value("a")), of: feed, at: 1000))
        let contributions = bench.store.contributions { Issue.record("\($0)") }
        let loader = RulesFileLoader(path: bench.folder.path(of: "rules.yaml"))
        let loaded = try loader.load(feeds: contributions)
        #expect(loaded.definition.rules.map(\.id) == ["own", "a"])
        let reloader = RulesReloader(
            loader: loader,
            initial: .init(loaded, contributions: contributions),
            logger: bench.log.logger
        ) { _ in }
        let coordinator = FeedCoordinator(
            reloader: reloader,
            store: bench.store,
            logger: bench.log.logger
        )
        #expect(await coordinator.begin(feed) == 1000)
        #expect(await coordinator.last(of: feed) == self.value("a"))
        #expect(await coordinator.statuses.first?.revision != nil)
    }
}

extension String {
    fileprivate func replacingOccurrences(_ text: String, with other: String) -> String {
        self.split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
    }
}
