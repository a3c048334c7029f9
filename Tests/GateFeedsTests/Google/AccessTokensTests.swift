import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import Synchronization
import Testing

@testable import GateFeeds

/// Tests with a server that validates requests like Google's.
@Suite(
    .ownThread,
    .timeLimit(.minutes(5)),
    .enabled(if: FeedServer.canRun && GoogleTestAccount.canBeMade, "python3 or openssl is missing")
)
struct AccessTokensTests {
    private let server: FeedServer
    private let google: GoogleTestAccount
    private let folder: TestFolder
    private let fetcher: Fetcher
    private let clock = Clock()

    /// A clock that only the test advances; it starts now, because Google rejects assertions from
    /// the future.
    private final class Clock: Sendable {
        private let start = SystemClock.now().secondsSinceEpoch
        private let passed = Mutex<Int64>(-2_000)

        func pass(_ seconds: Int64) { self.passed.withLock { $0 += seconds } }

        var now: Timestamp {
            Timestamp(secondsSinceEpoch: self.start + self.passed.withLock(\.self))
        }
    }

    init() throws {
        self.server = try FeedServer("firebase-remote-config")
        self.google = try GoogleTestAccount(tokenURL: self.server.url("/token"))
        try self.server.setState(self.google.state())
        self.folder = try TestFolder()
        try self.folder.write(self.google.json, to: "account.json")
        self.fetcher = try Fetcher()
    }

    private var tokens: AccessTokens {
        let path = self.folder.path(of: "account.json")
        return AccessTokens(.file(.file(path)), scopes: FirebaseRemoteConfigFeed.scopes)
    }

    private var context: FeedContext {
        let clock = self.clock
        return FeedContext(feed: "a", fetcher: self.fetcher, last: nil, now: { clock.now })
    }

    private func tokenRequestCount() throws -> Int {
        try self.server.requests().count { $0.path == "/token" }
    }

    private func template() throws -> FetchRequest {
        let url = self.server.url("/v1/projects/example/remoteConfig")
        return FetchRequest(try FetchURL(parsing: url), acceptsGzip: true)
    }

    @Test func `concurrent callers share one token`() async throws {
        let (account, context) = (self.tokens, self.context)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await account.token(context) } }
            var tokens: [String] = []
            for try await token in group { tokens.append(token) }
            return tokens
        }
        #expect(tokens.count == 20)
        #expect(Set(tokens).count == 1)
        #expect(try self.tokenRequestCount() == 1)
    }

    @Test func `a token is renewed after four fifths of its lifetime if possible`()
        async throws
    {
        try self.server.setState(self.google.state(oauth: #""lifetime":1000"#))
        let account = self.tokens
        let first = try await account.token(self.context)
        self.clock.pass(790)
        #expect(try await account.token(self.context) == first)
        self.clock.pass(20)
        try self.server.setFaults(FeedFault("503", path: "/token"))
        #expect(try await account.token(self.context) == first)
        #expect(try self.tokenRequestCount() == 2)
        self.clock.pass(200)
        await #expect(throws: FeedFailure.self) { try await account.token(self.context) }
        try self.server.setFaults()
        #expect(try await account.token(self.context) != first)
    }

    @Test func `a token from the future is not used`() async throws {
        let account = self.tokens
        let first = try await account.token(self.context)
        self.clock.pass(-500)
        #expect(try await account.token(self.context) != first)
        #expect(try self.tokenRequestCount() == 2)
    }

    @Test func `a rejected token is replaced at once`() async throws {
        let account = self.tokens
        #expect(try await account.fetch(try self.template(), self.context).status == 200)
        #expect(try await account.fetch(try self.template(), self.context).status == 200)
        #expect(try self.tokenRequestCount() == 1)
        try self.server.act("expire")
        #expect(try await account.fetch(try self.template(), self.context).status == 200)
        #expect(try self.tokenRequestCount() == 2)
    }

    @Test func `a request is retried once with a new token`() async throws {
        try self.server.setFaults(FeedFault("401", path: "/v1/"))
        let response = try await self.tokens.fetch(try self.template(), self.context)
        #expect(response.status == 401)
        #expect(try self.server.requests().map(\.path).filter { $0 != "/token" }.count == 2)
    }

    @Test func `a key that Google does not know is reported without revealing it`() async throws {
        let other = try GoogleTestAccount(
            tokenURL: self.server.url("/token"),
            ownKey: true
        )
        try self.folder.write(other.json, to: "account.json")
        let failure = await #expect(throws: FeedFailure.self) {
            try await self.tokens.token(self.context)
        }
        #expect(
            failure?.description
                == "the source responded with 400: no token: invalid_grant, Invalid JWT Signature."
        )
        // A replaced key file is read again.
        let account = self.tokens
        await #expect(throws: FeedFailure.self) { try await account.token(self.context) }
        try self.folder.write(self.google.json, to: "account.json")
        _ = try await account.token(self.context)
    }

    @Test(arguments: ["empty", "html", "null", "bad-json", "not-utf8", "reset", "truncated"])
    func `a fault of the server never gives a token`(fault: String) async throws {
        try self.server.setFaults(FeedFault(fault, path: "/token"))
        let failure = await #expect(throws: FeedFailure.self) {
            try await self.tokens.token(self.context)
        }
        #expect(failure?.description.isEmpty == false)
    }
}
