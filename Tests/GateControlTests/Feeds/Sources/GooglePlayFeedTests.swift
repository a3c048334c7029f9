import GatePolicy
import GateTestSupport
import Synchronization
import Testing

@testable import GateControl

struct GooglePlayReleasesTests {
    private func releases(_ items: [(name: String, code: Int)]) throws -> GooglePlayReleases {
        let list = items.map { item in
            """
            {"releaseName":"\(item.name)","releaseLifecycleState":"RELEASE_LIFECYCLE_STATE_PUBLISHED",\
            "activeArtifacts":[{"versionCode":\(item.code - 1)},{"versionCode":\(item.code)}]}
            """
        }
        let text = #"{"releases":[\#(list.joined(separator: ","))]}"#
        return try GooglePlayReleases(listing: try JSONParser.parse(Array(text.utf8)))
    }

    private func facts(_ sightings: GooglePlaySightings) throws -> [Release] {
        let store = StoreKeys(app: nil, platform: "android", channel: nil)
        let text = sightings.document(for: store).text
        return try RulesFileLoader.load(sources: [("feed", text)]).definition.releases
    }

    private let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    @Test(arguments: ["3.2.0", "3.2.0 (3020)", "Summer 3.2.0", "v3.2.0"])
    func `the version is in the name of a release`(name: String) throws {
        let releases = try self.releases([(name, 3020)])
        #expect(releases.releases.map(\.version) == [try AppVersion(parsing: "3.2.0")])
        #expect(releases.releases.map(\.code) == [3020])
    }

    @Test func `a release beside an older one is handed out in steps`() throws {
        let both = try self.releases([("3.3.0", 3030), ("3.2.0", 3020)])
        let first = GooglePlaySightings(of: both, after: nil, now: self.now)
        let facts = try self.facts(first)
        #expect(facts.map(\.build) == [3030, 3020])
        #expect(facts.map(\.phase) == [.partial, .complete])
        // Nobody knows since when what was there before has been there.
        #expect(facts[1].releasedAt == nil)

        let alone = try self.releases([("3.3.0", 3030)])
        let second = GooglePlaySightings(of: alone, after: first.memory, now: self.now)
        #expect(try self.facts(second).map(\.phase) == [.complete])
        #expect(try self.facts(second).first?.releasedAt == self.now)
        let later = Timestamp(secondsSinceEpoch: 1_800_009_000)
        let third = GooglePlaySightings(of: alone, after: second.memory, now: later)
        #expect(try self.facts(third).first?.releasedAt == self.now)
    }

    /// A track as an edit shows it, with one release besides the one before it.
    private func track(_ release: String) throws -> [Release] {
        let text = #"""
            {"track":"production","releases":[{"name":"3.3.0","versionCodes":["3029","3030"],\#(release)},
             {"name":"3.2.0","versionCodes":["3020"],"status":"completed"}]}
            """#
        let releases = try GooglePlayReleases(track: try JSONParser.parse(Array(text.utf8)))
        return try self.facts(GooglePlaySightings(of: releases, after: nil, now: self.now))
    }

    @Test(arguments: [
        (#""status":"completed""#, [ReleasePhase.complete, .complete]),
        (#""status":"inProgress","userFraction":0.5"#, [.partial, .complete]),
        (#""status":"halted","userFraction":0.5"#, [.partial, .complete]),
        (#""status":"draft""#, [.complete]), (#""status":"something""#, [.complete]),
        (#""status":null"#, [.complete]),
    ])
    func `an edit says how far a release is handed out`(
        status: String,
        phases: [ReleasePhase]
    ) throws {
        let facts = try self.track(status)
        #expect(facts.map(\.phase) == phases)
        #expect(facts.map(\.build) == (phases.count == 2 ? [3030, 3020] : [3020]))
    }

    @Test func `an edit says where a rollout is`() throws {
        func countries(_ targeting: String) throws -> [String]? {
            try self.track(#""status":"inProgress","countryTargeting":\#(targeting)"#).first?
                .countries?.keys.sorted()
        }
        #expect(
            try countries(#"{"countries":["JP","KR"],"includeRestOfWorld":false}"#) == ["jp", "kr"]
        )
        #expect(try countries(#"{"countries":["JP"]}"#) == ["jp"])
        #expect(try countries(#"{"countries":["JP"],"includeRestOfWorld":true}"#) == nil)
    }

    @Test(arguments: [#"{"countries":[],"includeRestOfWorld":false}"#, #"{"countries":[]}"#, "{}"])
    func `a rollout that is in no country is not handed out`(targeting: String) throws {
        let facts = try self.track(#""status":"inProgress","countryTargeting":\#(targeting)"#)
        #expect(facts.map(\.build) == [3020])
    }

    @Test(arguments: [
        "{}", #"{"releases":[]}"#,
        #"{"releases":[{"releaseName":"3.2.0","releaseLifecycleState":"RELEASE_LIFECYCLE_STATE_DRAFT"}]}"#,
        #"{"releases":[{"releaseName":"Summer","releaseLifecycleState":"RELEASE_LIFECYCLE_STATE_PUBLISHED","activeArtifacts":[{"versionCode":1}]}]}"#,
    ])
    func `a track without a version is a mistake`(text: String) throws {
        let value = try JSONParser.parse(Array(text.utf8))
        #expect(throws: FeedFailure.self) { try GooglePlayReleases(listing: value) }
    }
}

/// A process that speaks as Google Play does, and checks what the account signs.
@Suite(
    .ownThread,
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: GoogleTestAccount.canBeMade && FeedServer.canRun, "openssl or python3 is missing")
)
struct GooglePlayFeedTests {
    private let server: FeedServer
    private let fetcher: Fetcher
    private let folder: GateTestSupport.TemporaryFolder
    private let feed: FeedDefinition
    private let edits: FeedDefinition

    init() throws {
        self.server = try FeedServer("google-play")
        self.fetcher = try Fetcher()
        self.folder = try GateTestSupport.TemporaryFolder()
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

    private func ask() async throws(FeedFailure) -> FeedAnswer? {
        try await self.ask(self.feed)
    }

    private func ask(_ feed: FeedDefinition) async throws(FeedFailure) -> FeedAnswer? {
        let context = FeedContext(
            feed: "play",
            fetcher: self.fetcher,
            last: nil,
            now: SystemClock.now
        )
        let answers = Mutex<[FeedAnswer]>([])
        try await feed.source.follow(context) { answer in
            answers.withLock { $0.append(answer) }
        }
        return answers.withLock(\.last)
    }

    @Test func `what is published on the track becomes facts`() async throws {
        guard case .value(let value)? = try await self.ask() else {
            Issue.record("no value")
            return
        }
        let loaded = try RulesFileLoader.load(sources: [("feed:play", value.document)])
        #expect(loaded.definition.releases.map(\.build) == [3030, 3021])
        #expect(loaded.definition.releases.map(\.phase) == [.partial, .complete])
        #expect(loaded.definition.releases.map { "\($0.platform)" } == ["android", "android"])
    }

    @Test func `an edit is thrown away whatever becomes of it, and never committed`() async throws {
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

    @Test func `an account that nobody invited is told of in Google's words`() async throws {
        try self.server.changeState(#"{"invited":false}"#)
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask() }
        #expect(failure?.description.contains("403: PERMISSION_DENIED") == true)
    }

    @Test func `a token that dies early is replaced at once`() async throws {
        _ = try await self.ask()
        try self.server.act("expire")
        #expect(try await self.ask() != nil)
    }
}
