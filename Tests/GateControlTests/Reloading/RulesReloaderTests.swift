import GatePolicy
@testable import GateRules
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateControl

@Suite(.timeLimit(.minutes(5)))
struct RulesReloaderTests {
    /// A rules file in memory, and the results of its reloads.
    private final class Bench: Sendable {
        let text = Mutex("rules: []\n")
        let loads = Mutex(0)
        let published = Mutex<[String]>([])
        let log = LogRecorder()

        /// Creates a reloader for the text; each publication waits for the closure.
        func reloader(beforePublishing: @escaping @Sendable () async -> Void = {}) -> RulesReloader
        {
            RulesReloader(
                logger: self.log.logger,
                now: { Timestamp(secondsSinceEpoch: Int64(self.loads.withLock(\.self))) },
                load: { (_, _, _) throws(RulesFileErrors) in
                    self.loads.withLock { $0 += 1 }
                    let text = self.text.withLock(\.self)
                    return try RulesFileLoader.load(sources: [("rules.yaml", text)])
                },
                publish: { rules in
                    await beforePublishing()
                    self.published.withLock { $0.append(rules.revision) }
                }
            )
        }

        func write(_ text: String) {
            self.text.withLock { $0 = text }
        }
    }

    private let bench = Bench()

    @Test func `the first load publishes`() async {
        let reloader = self.bench.reloader()
        let status = await reloader.reload(reason: .start)
        #expect(status.lastReloadSuccessful)
        #expect(status.errors.isEmpty)
        #expect(status.lastSuccess == Timestamp(secondsSinceEpoch: 1))
        #expect(self.bench.published.withLock(\.self) == [status.revision])
        #expect(await reloader.status == status)
    }

    @Test func `before the first load there is no success`() async {
        let status = await self.bench.reloader().status
        #expect(!status.lastReloadSuccessful)
        #expect(status.lastSuccess == nil)
        #expect(status.revision == nil)
    }

    @Test func `a changed file is published once, an unchanged one not at all`() async {
        let reloader = self.bench.reloader()
        await reloader.reload(reason: .start)
        self.bench.write("rules: [] # changed\n")
        let changed = await reloader.reload(reason: .fileChanged)
        let unchanged = await reloader.reload(reason: .signal)
        #expect(self.bench.published.withLock { $0.count } == 2)
        #expect(self.bench.published.withLock(\.last) == changed.revision)
        #expect(unchanged.revision == changed.revision)
        #expect(unchanged.lastSuccess == Timestamp(secondsSinceEpoch: 3))
    }

    @Test func `previously active rules can be restored, even with a plan`() async {
        let plan = """
            rules:
            - id: ios
              minimum: "3.5.0"
              enforceFrom: 2027-06-01T00:00:00Z
              storeUrl: https://a.example
            releases: [{ platform: ios, version: "4.0.0" }]

            """
        let floor = plan.replacing("3.5.0", with: "3.0.0")
            .replacing("  enforceFrom: 2027-06-01T00:00:00Z\n", with: "")
        let reloader = self.bench.reloader()
        self.bench.write(floor)
        await reloader.reload(reason: .start)
        self.bench.write(plan)
        let refused = await reloader.reload(reason: .fileChanged)
        #expect(refused.refusals.map(\.name) == [.planOpens])
        let other = self.bench.reloader()
        await other.reload(reason: .start)
        self.bench.write(floor)
        await other.reload(reason: .fileChanged)
        self.bench.write(plan)
        let restored = await other.reload(reason: .signal)
        #expect(restored.lastReloadSuccessful)
        #expect(restored.findings.map(\.name).contains(.planOpens))
        #expect(self.bench.log.lines.contains { $0.contains("these rules were active before") })
    }

    @Test func `an invalid file keeps the rules and is logged with locations`() async {
        let reloader = self.bench.reloader()
        let good = await reloader.reload(reason: .start)
        self.bench.write("rules:\n- id: a\n  minimun: '1'\n")
        let broken = await reloader.reload(reason: .fileChanged)
        #expect(!broken.lastReloadSuccessful)
        #expect(broken.revision == good.revision)
        #expect(broken.lastSuccess == good.lastSuccess)
        #expect(broken.errors.count == 2)
        #expect(self.bench.published.withLock { $0.count } == 1)
        #expect(
            self.bench.log.lines.filter { $0.hasPrefix("error") } == [
                "error rules.yaml:2:3: this rule has no effect: it needs 'minimum', 'minimumBuild', "
                    + "'recommended', 'blocked', 'next', 'route' or 'maintenance'",
                "error rules.yaml:3:3: unknown key 'minimun'; did you mean 'minimum'?",
                "error rules not loaded, 2 errors; keeping revision \(good.revision ?? "")",
            ]
        )
        #expect(await reloader.current?.definition.revision == good.revision)
    }

    /// The number of times that the log reports rejected rules.
    private var refusals: Int {
        self.bench.log.lines.filter { $0.hasPrefix("error rules not loaded") }.count
    }

    private static let broken = "rules:\n- { id: a, minimun: '1' }\n"
    private static let lockout = """
        releases: [{ platform: ios, version: "4.2.0" }]
        rules:
        - { id: a, match: { platform: ios }, minimum: "9", storeUrl: "https://a.example" }

        """

    @Test(arguments: [Self.broken, Self.lockout])
    func `the same text with the same error is logged once`(
        _ text: String
    ) async {
        let reloader = self.bench.reloader()
        await reloader.reload(reason: .start)
        self.bench.write(text)
        let seen = await reloader.reload(reason: .fileChanged)
        let asked = await reloader.reload(reason: .request)
        #expect(!asked.lastReloadSuccessful)
        #expect(asked == seen && !asked.errors.isEmpty)
        let lines = self.bench.log.lines.filter { $0.hasPrefix("error") }
        #expect(lines.count == seen.errors.count + 1)

        // A different text with the same error was saved deliberately, so its result is logged.
        self.bench.write(text + "# Saved again.\n")
        #expect(await reloader.reload(reason: .request).errors == seen.errors)
        #expect(self.refusals == 2)
        await reloader.reload(reason: .fileChanged)
        #expect(self.refusals == 2)
        // The log is the only response to a signal.
        for round in 3...4 {
            await reloader.reload(reason: .signal)
            #expect(self.refusals == round)
        }
        self.bench.write("rules: []\n")
        await reloader.reload(reason: .fileChanged)
        self.bench.write(text)
        await reloader.reload(reason: .fileChanged)
        #expect(self.refusals == 5, "it was good in between")
    }

    @Test func `a signal that is merged with a file change is logged`() async {
        let (entered, entering) = AsyncStream<Void>.makeStream()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let reloader = self.bench.reloader {
            entering.yield()
            for await _ in gate { break }
        }
        self.bench.write(Self.broken)
        await reloader.reload(reason: .request)
        self.bench.write("rules: []\n")
        async let good = reloader.reload(reason: .request)
        for await _ in entered { break }
        self.bench.write(Self.broken)
        let waiting = [RulesChange.Reason.fileChanged, .signal].map { reason in
            Task { await reloader.reload(reason: reason) }
        }
        while await reloader.waiting.count < waiting.count { await Task.yield() }
        opening.finish()
        #expect(await good.lastReloadSuccessful)
        for reload in waiting { #expect(await !reload.value.lastReloadSuccessful) }
        #expect(self.refusals == 2)
    }

    @Test func `rules that fail their tests are not loaded, and the failures are logged`()
        async
    {
        let reloader = self.bench.reloader()
        let good = await reloader.reload(reason: .start)
        self.bench.write(
            """
            rules:
            - { id: ios, minimum: "3.5.0", storeUrl: https://a.example }
            tests:
            - name: the floor holds
              request: { version: "3.4.9" }
              expect: { decision: require, rule: ios }
            - name: old versions pass
              request: { version: "3.4.9" }
              expect: { decision: allow, rule: none }
            - name: version 4 gets a hint
              request: { version: "4.0.0" }
              expect: { decision: recommend }
            """
        )
        let refused = await reloader.reload(reason: .fileChanged)
        #expect(!refused.lastReloadSuccessful)
        #expect(refused.revision == good.revision)
        #expect(refused.lastSuccess == good.lastSuccess)
        #expect(self.bench.published.withLock(\.self) == [good.revision])
        #expect(
            self.bench.log.lines.filter { $0.hasPrefix("error") } == [
                "error rules.yaml:7:9: test 'old versions pass': expected decision allow by no "
                    + "rule, got require by rule ios (the version is below the minimum)",
                "error rules.yaml:10:9: test 'version 4 gets a hint': expected decision "
                    + "recommend, got allow (the client meets every rule that applies)",
                "error rules not loaded, 2 errors; keeping revision \(good.revision ?? "")",
            ]
        )
    }

    @Test func `a file restored to its previous text succeeds without publishing`() async {
        let reloader = self.bench.reloader()
        let good = await reloader.reload(reason: .start)
        self.bench.write("")
        await reloader.reload(reason: .fileChanged)
        self.bench.write("rules: []\n")
        let repaired = await reloader.reload(reason: .fileChanged)
        #expect(repaired.lastReloadSuccessful)
        #expect(repaired.errors.isEmpty)
        #expect(repaired.revision == good.revision)
        #expect(self.bench.published.withLock { $0.count } == 1)
    }

    @Test func `an invalid first load has no previous rules`() async {
        self.bench.write("")
        let status = await self.bench.reloader().reload(reason: .start)
        #expect(status.revision == nil)
        #expect(
            self.bench.log.lines == [
                "error rules.yaml:1:1: the file is empty",
                "error rules not loaded, 1 error; there is no earlier revision to keep",
            ]
        )
    }

    @Test func `concurrent requests cause one more reload, which loads the last text`() async {
        let (entered, entering) = AsyncStream<Void>.makeStream()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let reloader = self.bench.reloader {
            entering.yield()
            for await _ in gate { break }
        }
        async let first = reloader.reload(reason: .start)
        for await _ in entered { break }
        // The first reload has read its text and waits to publish it.
        self.bench.write("rules: [] # last\n")
        let burst = (0..<5).map { _ in
            Task { await reloader.reload(reason: .fileChanged) }
        }
        while await reloader.waiting.count < burst.count { await Task.yield() }
        opening.finish()
        let revision = await first.revision
        for reload in burst {
            let status = await reload.value
            #expect(status.lastReloadSuccessful)
            #expect(status.revision != revision)
        }
        #expect(self.bench.loads.withLock(\.self) == 2)
        #expect(self.bench.published.withLock { $0.count } == 2)
    }

    @Test func `a file is loaded by its path`() async throws {
        let folder = try TestFolder()
        try folder.write("rules: []\n", to: "rules.yaml")
        let reloader = RulesReloader(
            loader: RulesFileLoader(path: folder.path(of: "rules.yaml")),
            logger: self.bench.log.logger,
            publish: { rules in self.bench.published.withLock { $0.append(rules.revision) } }
        )
        let status = await reloader.reload(reason: .start)
        #expect(status.lastReloadSuccessful)
        #expect(self.bench.published.withLock(\.self) == [status.revision])
    }

    /// Counts how often the rules are checked.
    ///
    /// Each check calls `time` once, to run the file's tests.
    private final class Looks: Sendable {
        private let counter = Mutex(0)

        var count: Int { self.counter.withLock(\.self) }

        @Sendable func time() -> Timestamp {
            self.counter.withLock { $0 += 1 }
            return Timestamp(secondsSinceEpoch: 0)
        }
    }

    @Test func `an unchanged file is not checked again, except for a signal`()
        async throws
    {
        let folder = try TestFolder()
        try folder.write("rules: []\n", to: "rules.yaml")
        let looks = Looks()
        let loader = RulesFileLoader(path: folder.path(of: "rules.yaml"), now: looks.time)
        let reloader = RulesReloader(
            loader: loader,
            logger: self.bench.log.logger,
            publish: { rules in self.bench.published.withLock { $0.append(rules.revision) } }
        )
        let first = await reloader.reload(reason: .start)
        let same = await reloader.reload(reason: .fileChanged)
        #expect(looks.count == 1)
        #expect(same.lastReloadSuccessful && same.revision == first.revision)
        await reloader.reload(reason: .signal)
        #expect(looks.count == 2)
        try folder.write("rules: [\n", to: "rules.yaml")
        #expect(await reloader.reload(reason: .fileChanged).lastReloadSuccessful == false)
        try folder.write("rules: []\n", to: "rules.yaml")
        #expect(await reloader.reload(reason: .fileChanged).lastReloadSuccessful)
        #expect(looks.count == 2)
        try folder.write("# Another one.\nrules: []\n", to: "rules.yaml")
        await reloader.reload(reason: .fileChanged)
        #expect(looks.count == 3)
        #expect(self.bench.published.withLock { $0.count } == 2)
    }

    @Test func `a signal during a check does not cause a second check`()
        async throws
    {
        let folder = try TestFolder()
        try folder.write("rules: []\n", to: "rules.yaml")
        let looks = Looks()
        let loader = RulesFileLoader(path: folder.path(of: "rules.yaml"), now: looks.time)
        let (entered, entering) = AsyncStream<Void>.makeStream()
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let reloader = RulesReloader(loader: loader, logger: self.bench.log.logger) { _ in
            entering.yield()
            for await _ in gate { break }
        }
        async let first = reloader.reload(reason: .fileChanged)
        for await _ in entered { break }
        let signal = Task { await reloader.reload(reason: .signal) }
        while await reloader.waiting.isEmpty { await Task.yield() }
        opening.finish()
        #expect(await first.lastReloadSuccessful)
        #expect(await signal.value.lastReloadSuccessful)
        #expect(looks.count == 1)
    }

    @Test func `a file that changed after it was seen is left to the next check`()
        async throws
    {
        let folder = try TestFolder()
        let path = folder.path(of: "rules.yaml")
        try folder.write("rules: []\n", to: "rules.yaml")
        let loader = RulesFileLoader(path: path)
        let reloader = RulesReloader(loader: loader, logger: self.bench.log.logger) { rules in
            self.bench.published.withLock { $0.append(rules.revision) }
        }
        let first = await reloader.reload(reason: .start)
        try folder.write("rules: [] # whole\n", to: "rules.yaml")
        let whole = RulesSighting(identity: RulesIdentity(path: path))
        try folder.replace("rules.yaml", with: "rules: [] # half\n")
        let kept = await reloader.reload(reason: .fileChanged, seen: whole)
        #expect(kept == first)
        try folder.remove("rules.yaml")
        #expect(await reloader.reload(reason: .fileChanged, seen: whole) == first)
        try folder.write("rules: [] # whole again\n", to: "rules.yaml")
        let again = RulesSighting(identity: RulesIdentity(path: path))
        let last = await reloader.reload(reason: .fileChanged, seen: again)
        #expect(last.lastReloadSuccessful)
        #expect(last.revision != first.revision)
        #expect(self.bench.published.withLock(\.self) == [first.revision, last.revision])
    }
}
