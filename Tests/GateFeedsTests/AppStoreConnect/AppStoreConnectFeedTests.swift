import Foundation
import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

/// Requests to a server that emulates App Store Connect.
@Suite(
    .ownThread,
    .timeLimit(.minutes(5)),
    .enabled(if: AppStoreConnectServer.canRun, "openssl or python3 is missing")
)
struct AppStoreConnectFeedTests {
    private let folder: TemporaryFolder
    private let connect: AppStoreConnectServer
    private let fetcher: Fetcher

    init() throws {
        self.folder = try TemporaryFolder()
        self.connect = try AppStoreConnectServer(in: self.folder)
        self.fetcher = try Fetcher()
        try self.connect.set([
            "builds": [
                AppStoreConnectServer.build("42", of: "3.3.0"),
                AppStoreConnectServer.build("41", of: "3.3.0", "APP_STORE_ELIGIBLE"),
                AppStoreConnectServer.build("40", of: "3.2.0"),
                AppStoreConnectServer.build(
                    "50",
                    of: "9.0.0",
                    "INTERNAL_ONLY",
                    ["platform": "MAC_OS"]
                ),
            ],
            "appStoreVersions": [
                AppStoreConnectServer.version("3.1.0", ["build": "b40-3.2.0"]),
                AppStoreConnectServer.version("3.4.0", ["appVersionState": "IN_REVIEW"]),
            ],
        ])
    }

    private func feed(
        _ keys: String = "bundleId: com.example.shop",
        key: String? = nil
    ) throws -> FeedDefinition {
        let file = """
            feeds:
            - id: connect
              source: appStoreConnect
              \(keys.contains("issuer") ? "" : "issuer: \(AppStoreConnectServer.issuer)")
              keyId: \(AppStoreConnectServer.keyID)
              key: { file: '\(key ?? self.connect.keyPath)' }
              url: '\(self.connect.server.url("/"))'
              rule: { storeUrl: 'https://testflight.example' }
              \(keys.replacing("issuer: none", with: ""))

            """
        return try #require(
            try RulesFileLoader.load(sources: [("rules.yaml", file)]).feeds.first
        )
    }

    private func ask(
        _ feed: FeedDefinition,
        last: FeedValue? = nil
    ) async throws(FeedFailure) -> FeedValue {
        let context = FeedContext(
            feed: feed.id,
            fetcher: self.fetcher,
            last: last,
            now: SystemClock.now
        )
        let values = Mutex<[FeedValue]>([])
        try await feed.source.follow(context) { answer in
            if case .value(let value) = answer { values.withLock { $0.append(value) } }
        }
        let all = values.withLock(\.self)
        guard all.count == 1, let value = all.first else { throw .content("\(all.count) values") }
        return value
    }

    private func failure(
        _ keys: String = "bundleId: com.example.shop",
        last: FeedValue? = nil
    ) async throws -> FeedFailure? {
        let feed = try self.feed(keys)
        do throws(FeedFailure) {
            let value = try await self.ask(feed, last: last)
            Issue.record("a value: \(value.document)")
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "{}", #"{"states":"old"}"#, #"{"states":"new"}"#, #"{"relationshipData":"always"}"#,
        #"{"pageSize":1}"#, #"{"pageSize":1,"nextCursor":false,"pagingTotal":false}"#,
        #"{"absentRelation":"404"}"#, #"{"rateLimit":{"hour":3500,"minute":150,"header":"both"}}"#,
        #"{"rateLimit":{"hour":3500,"minute":150,"header":"absent"}}"#,
        #"{"wire":{"framing":"chunked","gzip":"always","pieces":7,"keepAlive":false}}"#,
        #"{"wire":{"framing":"length","gzip":"never","pieces":1,"keepAlive":true}}"#,
    ])
    func `all response formats give the same value`(state: String) async throws {
        try self.connect.server.changeState(state)
        let value = try await self.ask(try self.feed())
        let definition = try RulesFileLoader.load(sources: [("feed", value.document)]).definition
        #expect(definition.rules.map(\.minimumBuild) == [42, 41])
        #expect(definition.testFlight.first?.builds.count == 3)
        let store = try #require(definition.releases.last)
        #expect((store.version, store.builds) == (try AppVersion(parsing: "3.1.0"), [40]))
        #expect(definition.releases.count == 3)
        let again = try await self.ask(try self.feed(), last: value)
        #expect(again == value)
    }

    @Test func `builds and versions of another platform are ignored`() async throws {
        let mac = AppStoreConnectServer.build(
            "900",
            of: "9.0.0",
            "INTERNAL_ONLY",
            ["platform": "MAC_OS"]
        )
        let macVersion = AppStoreConnectServer.version("9.0.0", ["platform": "MAC_OS"])
        let phone = AppStoreConnectServer.build("42", of: "3.3.0")
        try self.connect.set([
            "platformFilter": "ignored", "builds": [mac, phone],
            "appStoreVersions": [macVersion, AppStoreConnectServer.version("3.1.0")],
        ])
        let value = try await self.ask(try self.feed())
        let definition = try RulesFileLoader.load(sources: [("feed", value.document)]).definition
        #expect(definition.releases.map { $0.version?.description } == ["3.3.0", "3.1.0"])
        #expect(definition.testFlight.first?.builds.count == 1)
        let note =
            "requested the app 1234567890 for IOS, but App Store Connect also returned builds or "
            + "versions of MAC_OS, which are ignored"
        #expect(value.notes == [note])

        try self.connect.set(["builds": [mac], "appStoreVersions": [macVersion]])
        #expect(try await self.failure() == .content(note))
    }

    @Test func `a key in Base64 is accepted, and an invalid key is an error`() async throws {
        let key = try String(contentsOfFile: self.connect.keyPath, encoding: .utf8)
        let path = self.folder.path(of: "other.p8")
        let feed = try self.feed(key: path)
        for text in [key, Data(key.utf8).base64EncodedString(), "\n\(key)\n"] {
            try self.folder.writeInPlace(text, to: "other.p8")
            #expect(try await !self.ask(feed).document.isEmpty)
        }
        try self.folder.writeInPlace("hunter2", to: "other.p8")
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
        #expect(failure?.description.hasSuffix(", or the file in base64") == true)
        #expect(failure?.description.contains("hunter2") == false)
    }

    @Test func `testers get the release notes of the newest build in their language`() async throws
    {
        let notes = ["en-US": "Try the cart.", "de-DE": "Warenkorb", "ko": ""]
        let builds = ["42", "43"].map { number in
            AppStoreConnectServer.build(number, of: "3.3.0", "INTERNAL_ONLY", ["whatsNew": notes])
        }
        try self.connect.set(["builds": builds, "appStoreVersions": [[String: Any]]()])
        let value = try await self.ask(try self.feed())
        let loaded = try RulesFileLoader.load(sources: [("feed", value.document)])
        let known = try #require(loaded.definition.testFlight.first?.builds)
        #expect(known.filter { !$0.releaseNotes.isEmpty }.map(\.build.description) == ["43"])
        for (language, text) in [
            ("de-AT", "Warenkorb"), ("en-US", "Try the cart."), ("ko", "Try the cart."),
        ] {
            let answer = loaded.ruleSet.testFlight(
                .latest(.internal),
                of: TestFlightSubject(identity: ClientIdentity(languages: [language])),
                confirmed: [:],
                at: SystemClock.now()
            )
            let json = try JSONParser.parse(answer)
            #expect(json["releaseNotes"]?.text == text, "\(language)")
        }
    }

    @Test func `a rule can recommend a build to testers instead of requiring it`() async throws {
        let keys = "bundleId: com.example.shop\n  ask: recommend\n  words: appStoreConnect"
        let value = try await self.ask(try self.feed(keys))
        let definition = try RulesFileLoader.load(sources: [("feed", value.document)]).definition
        #expect(definition.rules.map(\.minimumBuild) == [42, 41])
        #expect(definition.rules.allSatisfy { $0.schedule.warnFrom != nil })
        #expect(definition.rules.allSatisfy { $0.schedule.enforceFrom == nil })
        #expect(definition.testFlight.map(\.words) == [.appStoreConnect])
    }

    @Test func `an app is looked up once, and each platform has its own builds`() async throws {
        let value = try await self.ask(try self.feed())
        let asked = try self.connect.server.requests()
        #expect(
            asked.map(\.path) == ["/v1/apps", "/v1/builds", "/v1/apps/1234567890/appStoreVersions"]
        )
        _ = try await self.ask(try self.feed(), last: value)
        let more = try self.connect.server.requests(after: asked.count)
        #expect(more.map(\.path) == Array(asked.map(\.path).dropFirst()))
        let mac = try await self.ask(try self.feed("trackId: 1234567890\n  platform: macos"))
        #expect(mac.document.contains(#""minimumBuild": 50"#))
    }

    @Test func `an individual key signs without an issuer`() async throws {
        let key = try ToolProcess.run(
            "openssl",
            ["pkey", "-in", self.connect.keyPath, "-pubout"]
        ).output
        let individual: [String: Any] = [
            "kid": AppStoreConnectServer.keyID, "publicKey": key, "individual": true,
        ]
        try self.connect.set(["keys": [individual]])
        #expect(try await self.failure()?.description.contains("401") == true)
        _ = try await self.ask(try self.feed("trackId: 1234567890\n  issuer: none"))
    }

    @Test func `the error of a refused request contains Apple's message`() async throws {
        try self.connect.set(["role": "forbidden"])
        #expect(
            try await self.failure()?.description
                == "the source responded with 403: FORBIDDEN_ERROR: "
                + "This request is forbidden for security reasons"
        )
        try self.connect.set(["role": "enough"])
        #expect(
            try await self.failure("bundleId: com.example")?.description
                == "App Store Connect has no app com.example that the key can access"
        )
        #expect(
            try await self.failure("trackId: 7")?.description.contains("404: NOT_FOUND") == true
        )
    }

    @Test func `the feed waits when the rate limit is reached`() async throws {
        try self.connect.set(["rateLimit": ["hour": 3500, "minute": 1, "header": "both"]])
        let scarce = try await self.failure()
        #expect(
            scarce?.description
                == "the key has only 0 of its 1 requests left for this minute"
        )
        #expect(scarce?.retryAfter == 60)
        let refused = try await self.failure()
        #expect(refused?.description.contains("429: RATE_LIMIT_EXCEEDED") == true)
        #expect(refused?.retryAfter == 60)
        try self.connect.set(["rateLimit": ["hour": 1, "minute": 150, "header": "hour"]])
        #expect(try await self.failure()?.retryAfter == 900)
        try self.connect.server.setFaults(FeedFault("429", retryAfter: "7"))
        #expect(try await self.failure()?.retryAfter == 7)
    }

    @Test func `the token is not sent to another host`() async throws {
        try self.connect.set(["pageSize": 1, "nextHost": "other"])
        let failure = try await self.failure()
        #expect(
            failure?.description.contains("'links.next' does not have the same origin as") == true
        )
        try self.connect.set(["pageSize": 200, "nextHost": "same"])
        try self.connect.server.setFaults(FeedFault("redirect"))
        #expect(try await self.failure() != nil)
        let strangers = try self.connect.server.requests().filter { $0.listener != "main" }
        #expect(strangers.isEmpty)
    }

    @Test(arguments: [
        "refuse", "reset", "truncated", "oversized", "not-http", "redirect-loop", "redirect-down",
        "redirect-nowhere", "empty", "html", "null", "wrong-type", "bad-json", "not-utf8",
        "bad-gzip", "gzip-bomb", "unknown-encoding", "big-head", "400", "404", "500", "503",
    ])
    func `a fault of the server is a failure with a description, never a value`(kind: String)
        async throws
    {
        try self.connect.server.setFaults(FeedFault(kind))
        let failure = try await self.failure("trackId: 1234567890")
        let text = failure?.description ?? ""
        #expect(!text.isEmpty)
        #expect(!text.contains("eyJ"), "the token")
        try self.connect.server.ask("DELETE", "/fault")
        _ = try await self.ask(try self.feed())
    }

    @Test func `an invalid key is reported without its content`() async throws {
        try self.folder.writeInPlace("-----BEGIN PRIVATE KEY-----\nhunter2\n", to: "AuthKey.p8")
        let failure = try await self.failure()
        #expect(
            failure?.description.contains("contains no App Store Connect key; ") == true
        )
        #expect(failure?.description.contains("hunter2") == false)
    }
}
