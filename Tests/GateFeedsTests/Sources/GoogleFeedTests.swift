import Foundation
import GateCrypto
import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

/// Loopback servers that emulate Google's.
@Suite(
    .ownThread,
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: GoogleAccount.canBeMade, "openssl is missing")
)
struct GoogleFeedTests {
    private struct Claims: Decodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int64
        let exp: Int64
    }

    private let fetcher: Fetcher
    private let folder: TemporaryFolder
    private let account: GoogleAccount

    init() throws {
        self.fetcher = try Fetcher()
        self.folder = try TemporaryFolder()
        self.account = try GoogleAccount(in: self.folder)
    }

    private func feed(_ text: String) throws -> FeedDefinition {
        let file = "feeds: [{ id: g, serviceAccount: { file: '\(self.account.path)' }, \(text) }]\n"
        return try #require(try RulesFileLoader.load(sources: [("r", file)]).feeds.first)
    }

    private func ask(
        _ feed: FeedDefinition,
        last: FeedValue? = nil,
        now: @escaping @Sendable () -> Timestamp = SystemClock.now,
        then body: @escaping @Sendable (FeedResult) -> Void = { _ in }
    ) async throws(FeedFailure) -> [FeedResult] {
        let context = FeedContext(feed: "g", fetcher: self.fetcher, last: last, now: now)
        let answers = Mutex<[FeedResult]>([])
        try await feed.source.follow(context) { answer in
            answers.withLock { $0.append(answer) }
            body(answer)
        }
        return answers.withLock(\.self)
    }

    private func remoteConfig() throws -> (RemoteConfig, FeedDefinition) {
        let config = try RemoteConfig(account: self.account)
        config.publish(
            """
            {"parameters":{"min_version":{"defaultValue":{"value":"2.0.0"}},\
            "lastest_version":{"defaultValue":{"value":"3.1.0"}},\
            "store_url":{"defaultValue":{"value":"https://a.example"}}},\
            "version":{"versionNumber":"42"}}
            """
        )
        let url = config.server.url("")
        let text = "source: firebaseRemoteConfig, project: my-shop, system: ios, url: '\(url)'"
        return (config, try self.feed(text))
    }

    @Test func `the token request has a valid signed assertion`() async throws {
        let (config, feed) = try self.remoteConfig()
        _ = try await self.ask(feed)
        #expect(config.server.requests.count == 1)
        let assertion = try #require(self.account.assertions.first)
        let parts = assertion.split(separator: ".")
        try #require(parts.count == 3)
        let signature = try #require(Base64URL.bytes(parts[2]))
        #expect(try self.account.key.verifies(signature, of: "\(parts[0]).\(parts[1])"))
        let payload = Data(try #require(Base64URL.bytes(parts[1])))
        let claims = try JSONDecoder().decode(Claims.self, from: payload)
        #expect(claims.iss == "gate@my-shop.iam.gserviceaccount.com")
        #expect(claims.scope == "https://www.googleapis.com/auth/firebase.remoteconfig")
        #expect(claims.aud == self.account.server.url("/token"))
        #expect(claims.exp - claims.iat == 3600)
    }

    @Test func `a template becomes a rule`() async throws {
        let (config, feed) = try self.remoteConfig()
        guard case .value(let value)? = try await self.ask(feed).first else {
            Issue.record("no value")
            return
        }
        let loaded = try RulesFileLoader.load(sources: [("f", value.document)])
        #expect(loaded.definition.rules.first?.minimum == (try AppVersion(parsing: "2.0.0")))
        #expect(loaded.definition.rules.first?.recommended == (try AppVersion(parsing: "3.1.0")))
        #expect(config.server.requests.last?.fields.tokens("Accept-Encoding") == ["gzip"])
        config.publish(#"{"parameters":{"min_version":{"defaultValue":{"useInAppDefault":true}}}}"#)
        guard case .value(let nothing)? = try await self.ask(feed).first else {
            Issue.record("no value")
            return
        }
        let note = "# 'min_version' uses the in-app default where no condition holds"
        #expect(nothing.document.hasPrefix(note))
        #expect(nothing.document.hasSuffix("\n{\"rules\": []}\n"))
    }

    @Test func `a template without the parameters is an error`() async throws {
        let (config, feed) = try self.remoteConfig()
        config.publish("{}")
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
        // The article misspells the second name, and so do apps that follow it.
        let missing = "the template has no parameter 'min_version' or 'lastest_version'"
        #expect(failure?.description == missing)
    }

    @Test func `conditions on the system, the version and the time are evaluated`()
        async throws
    {
        let (config, feed) = try self.remoteConfig()
        config.publish(
            """
            {"conditions":[
            {"name":"old","expression":"device.os == 'ios' && app.version.<(['2.0'])"},
            {"name":"then","expression":"dateTime >= dateTime('2027-01-01T00:00:00', 'UTC')"}],
            "parameters":{"min_version":{"defaultValue":{"value":"2.5"},"conditionalValues":{
            "old":{"value":"1.5"},"then":{"value":"3.0"}}},
            "update_title":{"defaultValue":{"value":"Update"}},
            "store_url":{"defaultValue":{"value":"https://a.example"}}}}
            """
        )
        for (time, ranges) in [
            ("2026-12-31T23:59:59Z", "2.0 <2.5"), ("2027-01-01T00:00:00Z", "2.0 <3.0"),
        ] {
            let answers = try await self.ask(
                feed,
                now: { (try? Timestamp(parsing: time)) ?? SystemClock.now() }
            )
            guard case .value(let value)? = answers.first else {
                Issue.record("no value")
                return
            }
            #expect(value.document.contains("\"minimum\": \"1.5\""), "\(value.document)")
            #expect(value.document.contains(ranges), "\(value.document)")
            let loaded = try RulesFileLoader.load(sources: [("f", value.document)])
            #expect(loaded.definition.notices.keys.sorted() == ["g"])
        }
    }

    @Test func `a token is used for four fifths of its lifetime`() async throws {
        let (config, feed) = try self.remoteConfig()
        let time = Mutex<Int64>(1_800_000_000)
        let now: @Sendable () -> Timestamp = {
            Timestamp(secondsSinceEpoch: time.withLock(\.self))
        }
        _ = try await self.ask(feed, now: now)
        time.withLock { $0 += 2_800 }
        _ = try await self.ask(feed, now: now)
        #expect(self.account.assertions.count == 1)
        time.withLock { $0 += 100 }
        _ = try await self.ask(feed, now: now)
        #expect(self.account.assertions.count == 2)
        #expect(config.server.requests.last?.fields["Authorization"] == ["Bearer token-2"])
    }

    @Test func `a rejected token is discarded`() async throws {
        let (config, feed) = try self.remoteConfig()
        _ = try await self.ask(feed)
        config.server.set(.unauthorized)
        await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
        config.server.set(nil)
        _ = try await self.ask(feed)
        #expect(self.account.assertions.count == 2)
    }

    @Test func `a rejected account is reported with Google's message`() async throws {
        let (_, feed) = try self.remoteConfig()
        self.account.server.set(.unauthorized)
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
        #expect(failure?.description.hasPrefix("the source responded with 401: no token") == true)
    }

    @Test(arguments: [
        "", "{}", "not JSON", #"{"client_email":"a","private_key":"b","token_uri":"ftp://x"}"#,
    ])
    func `an invalid account file is rejected without repeating its content`(text: String)
        async throws
    {
        let (_, feed) = try self.remoteConfig()
        try self.folder.writeInPlace(text, to: "account.json")
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
        guard case .secret? = failure?.reason else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test(arguments: SourceFault.allCases.filter { $0 != .silent })
    func `a fault of a server never gives a value`(fault: SourceFault) async throws {
        let (config, feed) = try self.remoteConfig()
        config.server.set(fault)
        await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
        config.server.set(nil)
        self.account.server.set(fault)
        let fresh = try self.remoteConfig().1
        await #expect(throws: FeedFailure.self) { try await self.ask(fresh) }
    }

    @Test(arguments: ["true", "false"])
    func `a database request is retried at once with a new token`(
        streams: String
    ) async throws {
        let database = try RealtimeDatabase(account: self.account)
        database.put(#"{"minVersion":"2.0.0","storeUrl":"https://a.example"}"#)
        let feed = try self.feed(
            "source: firebaseDatabase, database: '\(database.server.url("/"))', "
                + "path: \(database.path), redirectsTo: localhost, stream: \(streams)"
        )
        for count in 1...2 {
            let answers = try await self.ask(feed, then: { _ in database.endStreams() })
            #expect(answers.count == 1)
            #expect(self.account.assertions.count == count)
            self.account.revokeToken()
        }
    }

    @Test func `a database stream is reopened with a new token after a revocation`()
        async throws
    {
        let database = try RealtimeDatabase(account: self.account)
        database.put(#"{"minVersion":"2.0.0","storeUrl":"https://a.example"}"#)
        let feed = try self.feed(
            "source: firebaseDatabase, database: '\(database.server.url("/"))', "
                + "path: \(database.path), redirectsTo: localhost"
        )
        for count in 1...2 {
            let answers = try await self.ask(
                feed,
                then: { _ in
                    database.send("auth_revoked", "\"credential is no longer valid\"")
                }
            )
            #expect(answers.count == 1)
            #expect(self.account.assertions.count == count)
            let seen = [database.server, database.shard].map { $0.requests.last }
            #expect(seen.allSatisfy { $0?.fields["Authorization"] == ["Bearer token-\(count)"] })
        }
    }
}
