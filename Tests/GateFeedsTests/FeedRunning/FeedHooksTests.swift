import GateCrypto
@testable import GateRules
import GateTestSupport
import Synchronization
import Testing

@testable import GateFeeds

struct FeedHooksTests {
    /// A manual clock.
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)

        var now: ContinuousClock.Instant { self.time.withLock(\.self) }

        func pass(_ duration: Duration) { self.time.withLock { $0 += duration } }
    }

    private let folder: TestFolder
    private let log = LogRecorder()
    private let hooks: FeedHooks
    private let wakeup = FeedWakeup()
    private let clock = Clock()

    init() throws {
        self.folder = try TestFolder()
        try self.folder.write("hunter2", to: "secret")
        let clock = self.clock
        self.hooks = FeedHooks(logger: self.log.logger) { clock.now }
        let webhook = FeedWebhook(
            form: .init(field: "X-S", prefix: ""),
            secret: .file(self.folder.path(of: "secret"))
        )
        self.hooks.use(["cms": .init(webhook: webhook, wakeup: self.wakeup)])
    }

    private func take(
        _ signatures: [String],
        for feed: String = "cms",
        body: String = "{}"
    ) -> FeedHooks.Outcome {
        self.hooks.take(Array(body.utf8), for: feed, from: "192.0.2.1") { field in
            field == "X-S" ? signatures : []
        }
    }

    private static func signature(_ body: String = "{}") -> String {
        AuthenticationKey("hunter2").code(of: Array(body.utf8)).hexadecimal
    }

    private var wasWoken: Bool {
        get async { await self.wakeup.wakes {} }
    }

    @Test func `a signed webhook wakes the runner regardless of its body`() async {
        for body in ["{}", "", "nonsense"] {
            #expect(self.take([Self.signature(body)], body: body) == .taken)
            #expect(await self.wasWoken)
        }
    }

    @Test func `a webhook without a valid signature is rejected`() async throws {
        let right = Self.signature()
        #expect(self.take([]) == .unsigned)
        #expect(self.take([""]) == .invalidSignature)
        #expect(self.take([right, right]) == .invalidSignature)
        #expect(self.take([Self.signature("x")]) == .invalidSignature)
        #expect(self.take([right], for: "other") == .unknown)
        try self.folder.write("", to: "secret")
        #expect(self.take([right]) == .secretMissing)
        self.hooks.use([:])
        #expect(self.take([right]) == .unknown)
        #expect(await !self.wasWoken)
    }

    /// The number of logged lines of each kind, not counting debug lines.
    private var loggedLines: [String: Int] {
        let lines = self.log.lines.filter { !$0.hasPrefix("debug ") }
        return Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +)
    }

    @Test func `rejected webhooks cannot flood the log`() {
        for _ in 0..<100 { _ = self.take(["hunter1"]) }
        #expect(self.loggedLines == ["warning webhook rejected": 1])
        // At debug level, all of them are logged.
        #expect(self.log.lines.count == 100)
    }

    @Test func `repeated rejections are logged every ten seconds`() {
        for count in 1...3 {
            for _ in 0..<10 {
                _ = self.take(["hunter1"])
                self.clock.pass(.milliseconds(999))
            }
            #expect(self.loggedLines == ["warning webhook rejected": count])
            self.clock.pass(.milliseconds(10))
        }
    }

    @Test func `each reason is logged independently`() throws {
        for _ in 0..<10 {
            _ = self.take(["hunter1"])
            _ = self.take([])
        }
        #expect(self.loggedLines == ["warning webhook rejected": 2])
        try self.folder.write("", to: "secret")
        for _ in 0..<10 { _ = self.take(["hunter1"]) }
        #expect(
            self.loggedLines == [
                "warning webhook rejected": 2, "error webhooks cannot be verified": 1,
            ]
        )
    }

    @Test func `accepted webhooks and those for unknown feeds are not logged`() {
        _ = self.take([Self.signature()])
        _ = self.take([Self.signature()], for: "other")
        #expect(self.loggedLines.isEmpty)
    }

    @Test func `several calls wake the runner once, and a forgotten call does not`() async {
        self.wakeup.wake()
        self.wakeup.wake()
        #expect(await self.wasWoken)
        #expect(await !self.wasWoken)
        self.wakeup.wake()
        self.wakeup.forget()
        #expect(await !self.wasWoken)
    }

    @Test(.ownThread, .timeLimit(.minutes(5)))
    func `a call wakes the waiting runner, and cancellation ends the wait`() async throws {
        for isCancelled in [false, true] {
            let waiting = Task {
                await self.wakeup.wakes { try? await Latch().opens() }
            }
            try Deadline.usual.poll("the waiting runner") { self.wakeup.isAwaited ? true : nil }
            if isCancelled { waiting.cancel() } else { self.wakeup.wake() }
            #expect(await waiting.value == !isCancelled)
        }
    }
}
