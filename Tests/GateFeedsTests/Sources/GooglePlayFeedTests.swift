import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

/// A process that emulates Google Play and verifies signed tokens.
@Suite(
    .ownThread,
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: GoogleTestAccount.canBeMade && FeedServer.canRun, "openssl or python3 is missing")
)
struct GooglePlayFeedTests {
    private let server: FeedServer
    private let fetcher: Fetcher
    private let folder: TemporaryFolder
    private let feed: FeedDefinition
    private let edits: FeedDefinition

    init() throws {
        self.server = try FeedServer("google-play")
        self.fetcher = try Fetcher()
        self.folder = try TemporaryFolder()
        let google = try GoogleTestAccount(tokenURL: self.server.url("/token"))
        try self.folder.writeInPlace(google.json, to: "play.json")
        let apps = """
            "apps":{"com.example.shop":{"production":[
            {"name":"3.4.0","versionCodes":["3040"],"status":"draft"},
            {"name":"3.3.0","versionCodes":["3030"],"status":"inProgress","userFraction":0.1},
            {"name":"3.2.0","versionCodes":["3020","3021"],"status":"completed"}]}}
            """
        try self.server.setState(google.state(apps))
        let text = """
            feeds: [{ id: play, source: googlePlay, package: com.example.shop,
            serviceAccount: { file: '\(self.folder.path(of: "play.json"))' }, url: '\(self.server.url("/"))' }]
            """
        self.feed = try #require(try RulesFileLoader.load(sources: [("r", text)]).feeds.first)
        let edits = text.replacing("package:", with: "method: edits, package:")
        self.edits = try #require(try RulesFileLoader.load(sources: [("r", edits)]).feeds.first)
    }

    private func ask() async throws(FeedFailure) -> FeedResult? {
        try await self.ask(self.feed)
    }

    private func ask(_ feed: FeedDefinition) async throws(FeedFailure) -> FeedResult? {
        let context = FeedContext(
            feed: "play",
            fetcher: self.fetcher,
            last: nil,
            now: SystemClock.now
        )
        let answers = Mutex<[FeedResult]>([])
        try await feed.source.follow(context) { answer in
            answers.withLock { $0.append(answer) }
        }
        return answers.withLock(\.last)
    }

    @Test func `the published releases of the track become releases`() async throws {
        guard case .value(let value)? = try await self.ask() else {
            Issue.record("no value")
            return
        }
        let loaded = try RulesFileLoader.load(sources: [("feed:play", value.document)])
        #expect(loaded.definition.releases.map(\.builds) == [[3030], [3020, 3021]])
        #expect(loaded.definition.releases.map(\.phase) == [.partial, .complete])
        #expect(loaded.definition.releases.map { "\($0.platform)" } == ["android", "android"])
    }

    @Test func `an edit is always deleted and never committed`() async throws {
        guard case .value(let value)? = try await self.ask(self.edits) else {
            Issue.record("no value")
            return
        }
        let loaded = try RulesFileLoader.load(sources: [("feed:play", value.document)])
        #expect(loaded.definition.releases.map(\.phase) == [.partial, .complete])
        let asked = try self.server.requests().map(\.method)
        #expect(asked == ["POST", "POST", "GET", "DELETE"])
        let path = "/androidpublisher/v3/applications/com.example.shop/edits/"
        try self.server.setFaults(FeedFault("bad-json", times: 1, path: path))
        await #expect(throws: FeedFailure.self) { try await self.ask(self.edits) }
        #expect(try self.server.requests().map(\.method).suffix(3) == ["POST", "GET", "DELETE"])
        let open = try self.server.act("edits").json([String: [String]].self)
        #expect(open == ["edits": []])
    }

    @Test func `an account without access is reported with Google's message`() async throws {
        try self.server.changeState(#"{"invited":false}"#)
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask() }
        #expect(failure?.description.contains("403: PERMISSION_DENIED") == true)
    }

    @Test func `an expired token is replaced at once`() async throws {
        _ = try await self.ask()
        try self.server.act("expire")
        #expect(try await self.ask() != nil)
    }
}
