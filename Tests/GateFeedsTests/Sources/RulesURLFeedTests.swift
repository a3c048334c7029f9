import Foundation
import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

/// Fetches over loopback sockets.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RulesURLFeedTests {
    private let source: FileSource
    private let fetcher: Fetcher

    init() throws {
        self.source = try FileSource()
        self.fetcher = try Fetcher()
    }

    private func feed(_ keys: String = "", path: String = "/rules.yaml") throws -> FeedDefinition {
        let url = self.source.server.url(path)
        let file = "feeds: [{ id: a, source: https, url: '\(url)'\(keys) }]\n"
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", file)])
        return try #require(loaded.feeds.first)
    }

    private func ask(
        _ feed: FeedDefinition,
        last: FeedValue? = nil
    ) async throws(FeedFailure) -> FeedResult? {
        let context = FeedContext(
            feed: feed.id,
            fetcher: self.fetcher,
            last: last,
            now: SystemClock.now
        )
        let answers = Mutex<[FeedResult]>([])
        try await feed.source.follow(context) { answer in answers.withLock { $0.append(answer) } }
        let all = answers.withLock(\.self)
        #expect(all.count == 1)
        return all.first
    }

    private func value(
        _ feed: FeedDefinition,
        last: FeedValue? = nil
    ) async throws -> FeedValue {
        guard case .value(let value)? = try await self.ask(feed, last: last) else {
            throw HarnessError("no value")
        }
        return value
    }

    @Test func `the file is used unchanged, and later fetches use its ETag`() async throws {
        self.source.put("rules: [] # ルール\n", at: "/rules.yaml")
        let feed = try self.feed()
        let value = try await self.value(feed)
        #expect(value.document == "rules: [] # ルール\n")
        #expect(try await self.ask(feed, last: value) == .unchanged)
        self.source.put("rules: [] # new\n", at: "/rules.yaml")
        #expect(try await self.value(feed, last: value).document == "rules: [] # new\n")
        let asked = self.source.server.requests.map { $0.fields["If-None-Match"].count }
        #expect(asked == [0, 1, 1])
    }

    @Test func `a JSON object becomes a rule, and later fetches use its ETag`() async throws {
        let path = "/app.json"
        self.source.put(#"{"android":{"minBuild":41200,"on":false},"closed":true}"#, at: path)
        let keys =
            ", holds: version, fields: { minBuild: android.minBuild, enforce: android.on, "
            + "maintenance: closed }, rule: { match: { platform: android }, storeUrl: 'https://a.example' }"
        let feed = try self.feed(keys, path: path)
        #expect(feed.makesRules)
        let value = try await self.value(feed)
        let loaded = try RulesFileLoader.load(sources: [("feed:a", value.document)])
        #expect(loaded.definition.rules.map(\.id) == ["a", "a-maintenance"])
        #expect(loaded.definition.rules[0].recommendedBuild == 41200)
        #expect(loaded.definition.rules[0].minimumBuild == nil)
        #expect(try await self.ask(feed, last: value) == .unchanged)
        // A missing field keeps its last value, and an HTML page is not an object.
        for text in [
            #"{"android":{"minBuild":41200,"on":true}}"#, "<html></html>", "[]", "rules: []",
        ] {
            self.source.put(text, at: path)
            await #expect(throws: FeedFailure.self) { try await self.ask(feed, last: value) }
        }
        self.source.put(#"{"android":{"minBuild":41200,"on":true},"closed":false}"#, at: path)
        let enforced = try await self.value(feed, last: value)
        let rules = try RulesFileLoader.load(sources: [("feed:a", enforced.document)])
        #expect(rules.definition.rules.map(\.minimumBuild) == [41200])
    }

    @Test func `the token is read for every fetch`() async throws {
        let folder = try TestFolder()
        self.source.put("rules: []\n", at: "/rules.yaml")
        let feed = try self.feed(", token: { file: '\(folder.path(of: "token"))' }")
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
        #expect(failure?.description.contains("no such file") == true)
        for token in ["first", "second"] {
            try folder.write("\(token)\n", to: "token")
            _ = try await self.ask(feed)
            #expect(
                self.source.server.requests.last?.fields["Authorization"] == ["Bearer \(token)"]
            )
        }
        try folder.write(" \n", to: "token")
        await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
    }

    @Test(arguments: SourceFault.allCases.filter { $0 != .silent })
    func `a fault of the server never gives a value`(fault: SourceFault) async throws {
        self.source.put("rules: []\n", at: "/rules.yaml")
        let feed = try self.feed()
        let last = try await self.value(feed)
        self.source.server.set(fault)
        do throws(FeedFailure) {
            let answer = try await self.ask(feed, last: last)
            // Invalid rules are detected when they are merged.
            guard case .value(let value)? = answer else {
                Issue.record("\(String(describing: answer))")
                return
            }
            #expect(throws: RulesFileErrors.self) {
                try RulesFileLoader.load(sources: [("feed", value.document)])
            }
        } catch {
            #expect(!error.description.isEmpty)
            if fault == .throttled { #expect(error.retryAfter == 1) }
        }
        self.source.server.set(nil)
        #expect(try await self.ask(feed, last: last) == .unchanged)
    }

    @Test(.enabled(if: TestKey.canBeMade, "openssl is missing"))
    func `a file is only accepted with a valid signature`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try TestKey(.ed25519, in: folder)
        let stranger = try TestKey(.ed25519, in: folder, name: "stranger.pem")
        let feed = try self.feed(", signature: { publicKey: '\(try key.rawPublicKey())' }")
        func publish(_ text: String, signed: String, by signer: TestKey) throws {
            let signature = try signer.signature(of: signed)
            self.source.put(text, at: "/rules.yaml")
            self.source.put(signature.base64EncodedString() + "\n", at: "/rules.yaml.sig")
        }
        try publish("rules: []\n", signed: "rules: []\n", by: key)
        let good = try await self.value(feed)
        #expect(good.document == "rules: []\n")

        try publish("rules: [] # forged\n", signed: "rules: []\n", by: key)
        await #expect(throws: FeedFailure.self) { try await self.ask(feed, last: good) }
        try publish("rules: [] # b\n", signed: "rules: [] # b\n", by: stranger)
        await #expect(throws: FeedFailure.self) { try await self.ask(feed, last: good) }
        self.source.put("not base 64!", at: "/rules.yaml.sig")
        await #expect(throws: FeedFailure.self) { try await self.ask(feed, last: good) }
        self.source.remove("/rules.yaml.sig")
        await #expect(throws: FeedFailure.self) { try await self.ask(feed, last: good) }
    }

    @Test(.enabled(if: TestKey.canBeMade, "openssl is missing"))
    func `the signature can have its own URL`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try TestKey(.ed25519, in: folder)
        let publicKey = try key.rawPublicKey()
        let url = self.source.server.url("/signatures/1")
        let feed = try self.feed(", signature: { publicKey: '\(publicKey)', url: '\(url)' }")
        self.source.put("rules: []\n", at: "/rules.yaml")
        let signature = try key.signature(of: "rules: []\n")
        self.source.put(signature.base64EncodedString(), at: "/signatures/1")
        #expect(try await self.value(feed).document == "rules: []\n")
    }

    @Test func `the serial must increase`() async throws {
        let feed = try self.feed()
        var last: FeedValue?
        for (text, isTaken) in [
            ("rules: []\n", true), ("serial: 7\nrules: []\n", true),
            ("serial: 7\nrules: []\n", true), ("serial: 7\nrules: [] # other\n", false),
            ("serial: 6\nrules: []\n", false), ("rules: []\n", false),
            ("serial: seven\nrules: []\n", false), ("serial: 10\nrules: []\n", true),
        ] {
            self.source.put(text, at: "/rules.yaml")
            last?.memory["etag"] = nil
            do throws(FeedFailure) {
                guard case .value(let value)? = try await self.ask(feed, last: last) else {
                    Issue.record("no value for \(text)")
                    continue
                }
                last = value
                #expect(isTaken, "\(text)")
            } catch {
                #expect(!isTaken, "\(text): \(error)")
            }
        }
        #expect(last?.memory["serial"] == "10")
    }

    @Test func `a redirect to another host needs redirectsTo`() async throws {
        self.source.put("rules: []\n", at: "/moved.yaml")
        let port = self.source.server.port
        let moved = try SourceServer { _ in
            [.answer("302 Found", fields: "Location: http://localhost:\(port)/moved.yaml\r\n")]
        }
        func feed(_ keys: String) throws -> FeedDefinition {
            let file = "feeds: [{ id: a, source: https, url: '\(moved.url("/x"))'\(keys) }]\n"
            return try #require(try RulesFileLoader.load(sources: [("r", file)]).feeds.first)
        }
        await #expect(throws: FeedFailure.fetch(.refusedRedirect(host: "localhost", nil))) {
            try await self.ask(try feed(""))
        }
        let value = try await self.value(try feed(", redirectsTo: localhost"))
        #expect(value.document == "rules: []\n")
    }
}
