import Crypto
import Testing

@testable import GateControl

struct FeedHooksTests {
    private let folder: TemporaryFolder
    private let log = LogRecorder()
    private let hooks: FeedHooks
    private let bell = FeedBell()

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.write("hunter2", to: "secret")
        self.hooks = FeedHooks(logger: self.log.logger)
        let webhook = FeedWebhook(field: "X-S", secret: .file(self.folder.path(of: "secret")))
        self.hooks.use(["cms": .init(webhook: webhook, bell: self.bell)])
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
        let key = SymmetricKey(data: Array("hunter2".utf8))
        return HMAC<SHA256>.authenticationCode(for: Array(body.utf8), using: key).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    private var hasRung: Bool {
        get async { await self.bell.rings(within: .zero) }
    }

    @Test func `a signed webhook rings, whatever it says`() async {
        for body in ["{}", "", "nonsense"] {
            #expect(self.take([Self.signature(body)], body: body) == .taken)
            #expect(await self.hasRung)
        }
    }

    @Test func `no other one does`() async throws {
        let right = Self.signature()
        #expect(self.take([]) == .unsigned)
        #expect(self.take([""]) == .wronglySigned)
        #expect(self.take([right, right]) == .wronglySigned)
        #expect(self.take([Self.signature("x")]) == .wronglySigned)
        #expect(self.take([right], for: "other") == .unknown)
        try self.folder.write("", to: "secret")
        #expect(self.take([right]) == .secretMissing)
        self.hooks.use([:])
        #expect(self.take([right]) == .unknown)
        #expect(await !self.hasRung)
    }

    @Test func `strangers can neither fill the log nor find anything in it`() {
        for _ in 0..<100 { _ = self.take(["hunter1"]) }
        #expect(self.log.lines.filter { $0 == "warning webhook refused" }.count == 1)
        #expect(self.log.lines.count == 100)
    }

    @Test func `a bell that has rung rings once, and one that is silenced does not`() async {
        self.bell.ring()
        self.bell.ring()
        #expect(await self.hasRung)
        #expect(await !self.hasRung)
        self.bell.ring()
        self.bell.silence()
        #expect(await !self.hasRung)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a bell wakes whoever waits, and lets go whoever is cancelled`() async {
        for isCancelled in [false, true] {
            let waiting = Task { await self.bell.rings(within: .seconds(3_600)) }
            while !self.bell.isAwaited { await Task.yield() }
            if isCancelled { waiting.cancel() } else { self.bell.ring() }
            #expect(await waiting.value == !isCancelled)
        }
    }
}
