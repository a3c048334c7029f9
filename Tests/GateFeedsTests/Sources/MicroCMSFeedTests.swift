import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateFeeds

struct MicroCMSFeedTests {
    private static let dates = """
        "createdAt":"2026-04-27T02:44:50.280Z","updatedAt":"2026-04-27T02:44:50.280Z",\
        "publishedAt":"2026-04-27T02:44:50.280Z","revisedAt":"2026-04-27T02:44:50.280Z"
        """

    private func feed(_ keys: String = "") throws -> MicroCMSFeed {
        let file = """
            feeds:
            - id: cms
              source: microcms
              service: shop
              endpoint: app-version
              key: { env: KEY }
            \(keys.split(separator: "\n").map { "  \($0)\n" }.joined())
            """
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", file)])
        return try #require(loaded.feeds.first?.source as? MicroCMSFeed)
    }

    /// Returns the document for an object with these fields.
    private func document(_ fields: String, _ keys: String = "") throws -> String {
        let text = "{\(Self.dates)\(fields.isEmpty ? "" : ",")\(fields)}"
        let content = try JSONParser.parse(Array(text.utf8))
        return try self.feed(keys).value(from: content, id: "cms").document
    }

    private static let link = #""url":"https://a.example""#

    @Test func `an object has a version range, a schedule, texts and a store URL`() throws {
        let document = try self.document(
            """
            "title":"アップデートのお願い","message":"最新版にしてください。","buttonTitle":"更新",
            "startDate":"2026-12-01T01:00:00.000Z","endDate":"2027-01-31T14:59:59.000Z",
            "minAppVersion":"2.0.0","maxAppVersion":"2.1.3","url":"https://apps.apple.com/app/id1"
            """,
            "language: ja\nrule: { match: { platform: ios } }"
        )
        let file = "defaultLanguage: ja\nrules: []\n"
        let loaded = try RulesFileLoader.load(sources: [("a", file), ("feed:cms", document)])
        let rule = try #require(loaded.definition.rules.first)
        #expect(rule.id == "cms")
        #expect(rule.match.platforms == [Platform("ios")])
        #expect(rule.blocked == [try VersionRange(parsing: ">=2.0.0 <=2.1.3")])
        #expect(rule.schedule.enforceFrom == (try Timestamp(parsing: "2026-12-01T10:00:00+09:00")))
        #expect(rule.schedule.until == (try Timestamp(parsing: "2027-01-31T14:59:59Z")))
        #expect(rule.notice == "cms")
        let words = try #require(loaded.definition.notices["cms"]?.texts.values.first)
        #expect(words.button != nil)
    }

    @Test(arguments: [
        #""title":"a","message":"b""#, #""minAppVersion":null,"maxAppVersion":"""#,
        #""minAppVersion":[]"#, "",
    ])
    func `an object without versions has no rule`(fields: String) throws {
        #expect(try self.document(fields) == "{\"rules\": []}\n")
    }

    @Test(arguments: [
        (#""maxAppVersion":"2.0""#, "<=2.0"),
        (#""maxAppVersion":["2.0"],"minAppVersion":null"#, "<=2.0"),
        (#""maxAppVersion":"v2.0","minAppVersion":" 1.9 ""#, ">=1.9 <=2.0"),
    ])
    func `missing fields, null and lists with one element are accepted`(
        fields: String,
        range: String
    ) throws {
        let document = try self.document(fields + "," + Self.link)
        #expect(document.contains("\"blocked\": \"\(range)\""))
    }

    @Test(arguments: [
        (#""minAppVersion":"2.0""#, "every version from 2.0 on would be blocked"),
        (#""maxAppVersion":1.10"#, "must be a string, found the number 1.10"),
        (#""maxAppVersion":true"#, "must be a string, found true"),
        (#""maxAppVersion":["1","2"]"#, "must be one string, found a list of 2"),
        (#""maxAppVersion":"latest""#, "'maxAppVersion' is not a valid version"),
        (
            #""minAppVersion":"3","maxAppVersion":"2""#,
            "'minAppVersion' 3 is above 'maxAppVersion' 2"
        ),
        (#""maxAppVersion":"2","startDate":"tomorrow""#, "'startDate' is not a valid time"),
        (
            #""maxAppVersion":"2","startDate":"2027-01-01T00:00:00Z","endDate":"2026-01-01T00:00:00Z""#,
            "is not after 'startDate'"
        ),
    ])
    func `a dangerous value is rejected with its field`(fields: String, message: String) {
        let failure = #expect(throws: FeedFailure.self) {
            try self.document(fields + "," + Self.link)
        }
        #expect(failure?.description.contains(message) == true, "\(failure?.description ?? "")")
    }

    @Test(arguments: [
        "[]", "null", "{}", #"{"message":"hello"}"#, #""text""#, #"{"contents":[{}]}"#,
    ])
    func `an invalid response is rejected`(text: String) throws {
        let content = try JSONParser.parse(Array(text.utf8))
        #expect(throws: FeedFailure.self) {
            try self.feed().value(from: content, id: "cms")
        }
    }

    @Test(arguments: [
        (#""minVersion":"2.0","maxVersion":"2.1""#, "'minVersion'", "'minAppVersion'"),
        (#""minappversion":"1.0","maxAppVersion":"2.1""#, "'minappversion'", "'minAppVersion'"),
        (#""maxAppVerison":["2.1"]"#, "'maxAppVerison'", "'maxAppVersion'"),
        (#""maxAppVersions":2.1"#, "'maxAppVersions'", "'maxAppVersion'"),
        (#""maxAppVersion":"2","messages":"Bitte""#, "'messages'", "'message'"),
        (#""maxAppVersion":"2","endDay":"2027-01-01T00:00:00Z""#, "'endDay'", "'endDate'"),
        (#""maxAppVersion":"2","urls":"https://b.example""#, "'urls'", "'url'"),
    ])
    func `a misspelled field is rejected with the nearest known one`(
        fields: String,
        unknown: String,
        meant: String
    ) {
        let isLink = fields.contains("urls")
        let failure = #expect(throws: FeedFailure.self) {
            try self.document(fields + (isLink ? "" : "," + Self.link))
        }
        #expect(failure?.description == "unknown field \(unknown); did you mean \(meant)?")
    }

    @Test(arguments: [
        // A field is ignored if the known field is present as well, or if the value cannot be a version.
        #""maxAppVersion":"2.0","maxAppVersions":"3.0""#,
        #""maxAppVersion":"2.0","minAppVersionNote":"from the crash on""#,
        #""maxAppVersion":"2.0","minVersion":"","memo":"1.0","number":7"#,
        #""maxAppVersion":"2.0","messages":{"en":"a"}"#,
    ])
    func `an unknown field that the editors use is ignored`(fields: String) throws {
        #expect(try self.document(fields + "," + Self.link).contains("<=2.0"))
    }

    @Test func `an unknown field seen before is not a misspelling when another field is emptied`()
        throws
    {
        func value(_ fields: String, after last: [String: String]) throws -> FeedValue {
            let text = "{\(Self.dates),\(fields),\(Self.link)}"
            let content = try JSONParser.parse(Array(text.utf8))
            return try self.feed().value(from: content, id: "cms", after: last)
        }
        let own = #""maxAppVersionIos":"3.0""#
        let first = try value(#""maxAppVersion":"2.0",\#(own)"#, after: [:])
        #expect(first.document.contains("<=2.0"))
        let emptied = try value(own, after: first.memory)
        #expect(emptied.document == "{\"rules\": []}\n")
        #expect(throws: FeedFailure.self) { try value(own, after: [:]) }
    }

    @Test func `a misspelled field in one entry causes the list to be rejected`() throws {
        let entries = [#""maxAppVersion":"2.0""#, #""maxVersion":"2.0""#].map {
            "{\(Self.dates),\($0),\(Self.link)}"
        }
        let text = #"{"contents":[\#(entries.joined(separator: ","))],"totalCount":2}"#
        let content = try JSONParser.parse(Array(text.utf8))
        let failure = #expect(throws: FeedFailure.self) {
            try self.feed().value(from: content, id: "cms")
        }
        #expect(failure?.description.contains("did you mean 'maxAppVersion'?") == true)
    }

    @Test func `a misspelled field is found within its object`() throws {
        let keys = "fields: { minAppVersion: ios.min, maxAppVersion: ios.maximum }"
        let failure = #expect(throws: FeedFailure.self) {
            try self.document(#""ios":{"maximun":"2.0"},\#(Self.link)"#, keys)
        }
        #expect(
            failure?.description == "unknown field 'ios.maximun'; did you mean 'ios.maximum'?"
        )
    }

    @Test func `a list has a rule for each entry`() throws {
        let entries = ["ios", "android"].map { name in
            #"{"id":"\#(name)",\#(Self.dates),"maxAppVersion":"2.0",\#(Self.link)}"#
        }
        let text = #"{"contents":[\#(entries.joined(separator: ","))],"totalCount":2}"#
        let content = try JSONParser.parse(Array(text.utf8))
        let document = try self.feed().value(from: content, id: "cms").document
        let loaded = try RulesFileLoader.load(sources: [("feed:cms", document)])
        #expect(loaded.definition.rules.map(\.id) == ["cms-ios", "cms-android"])
    }

    @Test func `the webhook secret is not part of the fingerprint`() throws {
        let loaded = try ["", "\nwebhookSecret: { env: A }", "\nwebhookSecret: { env: B }"].map {
            let file =
                "feeds: [{ id: a, source: microcms, service: a, endpoint: b, key: { env: K }"
                + $0.replacing("\n", with: ", ") + " }]"
            return try #require(RulesFileLoader.load(sources: [("r", file)]).feeds.first)
        }
        #expect(Set(loaded.map(\.fingerprint)).count == 1)
        #expect(loaded.map(\.hasWebhook) == [false, true, true])
        // The definitions must still differ, so that the webhook handler gets the changed secret.
        #expect(loaded[0] != loaded[1])
        #expect(loaded[1] != loaded[2])
    }

    @Test func `a webhook secret in the file is rejected`() {
        let file =
            "feeds: [{ id: a, source: microcms, service: a, endpoint: b, key: { env: K }, "
            + "webhookSecret: hunter2 }]"
        let errors = #expect(throws: RulesFileErrors.self) {
            try RulesFileLoader.load(sources: [("r.yaml", file)])
        }
        let text = errors?.errors.map(\.description).joined() ?? ""
        #expect(text.hasPrefix("r.yaml:1:"))
        #expect(text.contains("{ env: NAME }"))
        #expect(!text.contains("hunter2"))
    }

    @Test func `fields can have custom names`() throws {
        let document = try self.document(
            #""ios":{"fieldId":"platform","min":"1.0","max":"2.0"},"link":"https://a.example""#,
            "fields: { minAppVersion: ios.min, maxAppVersion: ios.max, url: link }"
        )
        #expect(document.contains(">=1.0 <=2.0"))
        #expect(document.contains("https://a.example"))
    }

    @Test func `texts without a title and with literal braces are kept`() throws {
        let document = try self.document(
            #""message":"{currentVersion} or {x}?","maxAppVersion":"2.0",\#(Self.link)"#
        )
        let loaded = try RulesFileLoader.load(sources: [("feed:cms", document)])
        #expect(loaded.definition.notices["cms"]?.texts.count == 1)
        #expect(document.contains("{{currentVersion}} or {{x}}?"))
    }

    @Test func `the rule template has the settings that the source lacks`() throws {
        let document = try self.document(
            #""maxAppVersion":"2.0""#,
            "rule: { storeUrl: 'https://a.example', mode: observe, status: 403 }"
        )
        let loaded = try RulesFileLoader.load(sources: [("feed:cms", document)])
        let rule = try #require(loaded.definition.rules.first)
        #expect(rule.mode == .observe)
        #expect(rule.answer.status == 403)
    }
}

/// A loopback server that emulates microCMS.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct MicroCMSWireTests {
    private let fetcher: Fetcher
    private let folder: TestFolder

    init() throws {
        self.fetcher = try Fetcher()
        self.folder = try TestFolder()
        try self.folder.write("the-key\n", to: "key")
    }

    private func ask(_ cms: MicroCMS, last: FeedValue? = nil) async throws(FeedFailure)
        -> FeedResult?
    {
        let path = self.folder.path(of: "key")
        let file =
            "feeds: [{ id: a, source: microcms, url: '\(cms.url)', key: { file: '\(path)' } }]\n"
        guard let feed = try? RulesFileLoader.load(sources: [("r", file)]).feeds.first else {
            return nil
        }
        let context = FeedContext(
            feed: "a",
            fetcher: self.fetcher,
            last: last,
            now: SystemClock.now
        )
        let answers = Mutex<[FeedResult]>([])
        try await feed.source.follow(context) { answer in answers.withLock { $0.append(answer) } }
        return answers.withLock(\.last)
    }

    @Test(arguments: [false, true])
    func `the key is sent in its field, and ETags are used if present`(hasETags: Bool)
        async throws
    {
        let cms = try MicroCMS(key: "the-key", hasETags: hasETags)
        cms.publish(["maxAppVersion": "2.0", "url": "https://a.example"])
        guard case .value(let value)? = try await self.ask(cms) else {
            Issue.record("no value")
            return
        }
        #expect(value.document.contains("<=2.0"))
        let again = try await self.ask(cms, last: value)
        #expect(again == (hasETags ? .unchanged : .value(value)))
        // The URL must not change, so that microCMS can use its cache.
        #expect(Set(cms.server.requests.map(\.target)) == ["/api/v1/app-version"])
    }

    @Test func `a wrong key is reported with microCMS's message`() async throws {
        let cms = try MicroCMS(key: "another")
        cms.publish([:])
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(cms) }
        #expect(
            failure?.description
                == "the source responded with 401: X-MICROCMS-API-KEY header is invalid."
        )
    }

    @Test func `a list is fetched completely`() async throws {
        let cms = try MicroCMS(key: "the-key")
        cms.publish(list: (0..<30).map { ["maxAppVersion": "\($0)", "url": "https://a.example"] })
        guard case .value(let value)? = try await self.ask(cms) else {
            Issue.record("no value")
            return
        }
        let loaded = try RulesFileLoader.load(sources: [("f", value.document)])
        #expect(loaded.definition.rules.count == 30)
        cms.publish(list: (0..<101).map { ["maxAppVersion": "\($0)"] })
        await #expect(throws: FeedFailure.self) { try await self.ask(cms) }
    }

    @Test func `a change of a later entry is noticed, although the first response is the same`()
        async throws
    {
        let cms = try MicroCMS(key: "the-key", hasETags: true)
        var list = (0..<12).map { ["maxAppVersion": "\($0)", "url": "https://a.example"] }
        cms.publish(list: list)
        guard case .value(let value)? = try await self.ask(cms) else {
            Issue.record("no value")
            return
        }
        list[11]["maxAppVersion"] = "50"
        cms.publish(list: list)
        guard case .value(let later)? = try await self.ask(cms, last: value) else {
            Issue.record("the change was missed")
            return
        }
        #expect(later.document.contains("<=50"))
    }

    @Test func `an HTML response is reported as such`() async throws {
        let cms = try MicroCMS(key: "the-key")
        cms.publish(["maxAppVersion": "2.0", "url": "https://a.example"])
        cms.server.set(.webPage)
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(cms) }
        #expect(failure?.description.hasPrefix("the response is an HTML page") == true)
    }

    @Test(arguments: SourceFault.allCases.filter { $0 != .silent })
    func `a fault of the server never gives a value`(fault: SourceFault) async throws {
        let cms = try MicroCMS(key: "the-key")
        cms.publish(["maxAppVersion": "2.0", "url": "https://a.example"])
        cms.server.set(fault)
        await #expect(throws: FeedFailure.self) { try await self.ask(cms) }
    }
}
