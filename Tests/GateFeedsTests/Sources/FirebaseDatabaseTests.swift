import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateFeeds

struct FirebaseDatabaseTreeTests {
    private typealias Event = EventStreamParser.Event

    struct Story: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var events: [(String, String)]
        var value: String
    }

    @Test(arguments: [
        Story(
            testDescription: "the example of the documentation",
            events: [
                ("put", #"{"path":"/","data":{"a":1,"b":2}}"#),
                ("put", #"{"path":"/c","data":{"foo":true,"bar":false}}"#),
                ("patch", #"{"path":"/c","data":{"foo":3,"baz":4}}"#),
            ],
            value: #"{"a": 1, "b": 2, "c": {"bar": false, "foo": 3, "baz": 4}}"#
        ),
        Story(
            testDescription: "null removes a value and its empty parents",
            events: [
                ("put", #"{"path":"/","data":{"a":{"b":{"c":1}},"d":1}}"#),
                ("put", #"{"path":"/a/b/c","data":null}"#),
            ],
            value: #"{"d": 1}"#
        ),
        Story(
            testDescription: "the last child",
            events: [
                ("put", #"{"path":"/","data":{"a":{"b":1}}}"#),
                ("patch", #"{"path":"/a","data":{"b":null}}"#),
            ],
            value: "null"
        ),
        Story(
            testDescription: "nested paths in a patch",
            events: [
                ("put", #"{"path":"/","data":{"a":{"b":1,"c":2}}}"#),
                ("patch", #"{"path":"/","data":{"a/b":5,"x/y":6}}"#),
            ],
            value: #"{"a": {"c": 2, "b": 5}, "x": {"y": 6}}"#
        ),
        Story(
            testDescription: "a scalar in the path",
            events: [
                ("put", #"{"path":"/","data":{"a":1}}"#),
                ("put", #"{"path":"/a/b","data":2}"#),
            ],
            value: #"{"a": {"b": 2}}"#
        ),
        Story(
            testDescription: "a list is an object of indices",
            events: [
                ("put", #"{"path":"/","data":["x",null,"y"]}"#),
                ("put", #"{"path":"/1","data":"z"}"#),
            ],
            value: #"{"0": "x", "2": "y", "1": "z"}"#
        ),
        Story(
            testDescription: "empty objects",
            events: [("put", #"{"path":"/","data":{"a":{},"b":{"c":{}},"d":1}}"#)],
            value: #"{"d": 1}"#
        ),
        Story(
            testDescription: "everything at once",
            events: [
                ("put", #"{"path":"/","data":{"a":1}}"#), ("put", #"{"path":"/","data":"x"}"#),
            ],
            value: #""x""#
        ),
    ])
    func `puts and patches are merged into one value`(story: Story) throws {
        var tree = FirebaseDatabaseTree()
        var last = FirebaseDatabaseTree.Action.ignore
        for (name, data) in story.events {
            last = try tree.receive(Event(name: name, data: data))
        }
        guard case .show(let value) = last else {
            Issue.record("\(last)")
            return
        }
        #expect(value.compact == story.value)
    }

    @Test func `other events have their actions`() throws {
        var tree = FirebaseDatabaseTree()
        func action(_ name: String, _ data: String = "null") throws -> FirebaseDatabaseTree.Action {
            try tree.receive(Event(name: name, data: data))
        }
        #expect(try action("keep-alive") == .ignore)
        #expect(try action("put", #"{"path":"/","data":null}"#) == .show(.null))
        #expect(try action("keep-alive") == .confirm)
        #expect(try action("rules_debug", "whatever") == .ignore)
        #expect(try action("auth_revoked", "\"token is expired\"") == .renew)
        guard case .giveUp = try action("cancel") else {
            Issue.record("goes on")
            return
        }
    }

    @Test func `a stream without a value is an error`() throws {
        var tree = FirebaseDatabaseTree()
        let actions = try (0..<3).map { _ in
            try tree.receive(Event(name: "keep-alive", data: "null"))
        }
        #expect(actions == [.ignore, .ignore, .giveUp("the stream is open but has sent no value")])
    }

    @Test(arguments: [
        ("put", "nonsense"), ("put", "{}"), ("put", #"{"path":"/"}"#), ("put", #"{"data":1}"#),
        ("patch", #"{"path":"/","data":1}"#), ("put", "null"),
    ])
    func `incomplete events are rejected`(name: String, data: String) {
        var tree = FirebaseDatabaseTree()
        #expect(throws: FeedFailure.self) { try tree.receive(Event(name: name, data: data)) }
    }
}

/// A loopback server that emulates the database.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct FirebaseDatabaseFeedTests {
    private let fetcher: Fetcher
    private let folder: TestFolder

    init() throws {
        self.fetcher = try Fetcher()
        self.folder = try TestFolder()
        try self.folder.write("hunter2", to: "secret")
    }

    private static let version =
        #"{"minVersion":"2.0.0","version":"3.1.0","storeUrl":"https://a.example"}"#

    private func feed(_ database: RealtimeDatabase, _ keys: String = "") throws -> FeedDefinition {
        let file = """
            feeds:
            - id: fb
              source: firebaseDatabase
              database: \(database.server.url("/"))
              path: \(database.path)
              redirectsTo: localhost
            \(keys.split(separator: "\n").map { "  \($0)\n" }.joined())
            """
        return try #require(try RulesFileLoader.load(sources: [("r", file)]).feeds.first)
    }

    private func context(_ last: FeedValue? = nil) -> FeedContext {
        FeedContext(feed: "fb", fetcher: self.fetcher, last: last, now: SystemClock.now)
    }

    private func ask(
        _ feed: FeedDefinition,
        last: FeedValue? = nil
    ) async throws(FeedFailure) -> [FeedResult] {
        let answers = Mutex<[FeedResult]>([])
        try await feed.source.follow(self.context(last)) { answer in
            answers.withLock { $0.append(answer) }
        }
        return answers.withLock(\.self)
    }

    /// Follows the feed, and passes each result with its index to `body`.
    private func listen(
        _ feed: FeedDefinition,
        _ body: @escaping @Sendable (Int, FeedResult) -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        var count = 0
        return try await feed.source.follow(self.context()) { answer in
            body(count, answer)
            count += 1
        }
    }

    @Test func `a stream is redirected to its shard and delivers every change`() async throws {
        let database = try RealtimeDatabase(secret: "hunter2")
        database.put(Self.version)
        let path = self.folder.path(of: "secret")
        let feed = try self.feed(database, "secret: { file: '\(path)' }")
        let seen = Mutex<[FeedResult]>([])
        let end = try await self.listen(feed) { count, answer in
            seen.withLock { $0.append(answer) }
            switch count {
            case 0: database.send("keep-alive", "null")
            case 1: database.send("patch", #"{"path":"/","data":{"minVersion":"2.5.0"}}"#)
            case 2: database.send("put", #"{"path":"/minVersion","data":3}"#)
            case 3: database.send("put", #"{"path":"/minVersion","data":null}"#)
            case 4: database.send("put", #"{"path":"/minVersion","data":""}"#)
            default: database.endStreams()
            }
        }
        #expect(end == .interrupted)
        let answers = seen.withLock(\.self)
        #expect(answers.count == 6)
        #expect(
            answers[0].document?.contains(#""recommended": "3.1.0""#) == true
        )
        #expect(answers[1] == .alive)
        #expect(answers[2].document?.contains(#""minimum": "2.5.0""#) == true)
        guard case .nonsense(let failure) = answers[3] else {
            Issue.record("\(answers[3])")
            return
        }
        #expect(failure.description.contains("'minVersion' must be a string, found the number 3"))
        guard case .nonsense(let gone) = answers[4] else {
            Issue.record("\(answers[4])")
            return
        }
        #expect(
            gone.description
                == "'minVersion' is missing: its last value stays active; "
                + "to require nothing, set it to an empty string"
        )
        #expect(answers[5].document?.contains("minimum") == false)
        let first = try #require(database.server.requests.first)
        let second = try #require(database.shard.requests.first)
        #expect(first.target == "/app/version.json?auth=hunter2")
        #expect(second.target == "/app/version.json?auth=hunter2")
        #expect(second.fields["Accept"] == ["text/event-stream"])
    }

    @Test func `a revoked credential and a forbidden read end the stream`()
        async throws
    {
        let database = try RealtimeDatabase()
        database.put(Self.version)
        let feed = try self.feed(database)
        let end = try await self.listen(feed) { _, _ in database.send("auth_revoked", "\"expired\"")
        }
        #expect(end == .interrupted)
        let failure = await #expect(throws: FeedFailure.self) {
            try await self.listen(feed) { _, _ in database.send("cancel", "null") }
        }
        #expect(failure?.retryAfter == 60)
    }

    @Test(arguments: ["stream: true", "stream: false"])
    func `a wrong secret is reported with the database's message`(keys: String) async throws {
        let database = try RealtimeDatabase(secret: "another")
        let path = self.folder.path(of: "secret")
        let feed = try self.feed(database, "\(keys)\nsecret: { file: '\(path)' }")
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
        #expect(failure?.description == "the source responded with 401: Permission denied")
        #expect(failure?.retryAfter == 60)
    }

    @Test func `polling uses the ETag`() async throws {
        let database = try RealtimeDatabase()
        database.put(Self.version)
        let feed = try self.feed(database, "stream: false")
        guard case .value(let value)? = try await self.ask(feed).first else {
            Issue.record("no value")
            return
        }
        #expect(try await self.ask(feed, last: value) == [.unchanged])
        database.put(#"{"minVersion":"9.0"}"#)
        #expect(try await self.ask(feed, last: value).first?.document?.contains("9.0") == true)
    }

    @Test(arguments: ["null", "\"2.0\"", "[1]", "7", "false"])
    func `a value that is not an object is rejected`(json: String) async throws {
        let database = try RealtimeDatabase()
        database.put(json)
        let feed = try self.feed(database, "stream: false")
        await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
    }

    @Test(arguments: [
        (#"{"minversion":"2.0.0"}"#, "unknown field 'minversion'; did you mean 'minVersion'?"),
        (
            #"{"minVersion":"2.0","verison":"3.0"}"#,
            "unknown field 'verison'; did you mean 'version'?"
        ),
        (#"{"floor":"2.0.0"}"#, "the object has neither 'minVersion' nor 'version'"),
        (#"{"storeUrl":"https://a.example"}"#, "the object has neither 'minVersion' nor 'version'"),
        (#"{"version":"3.1.0"}"#, "'minVersion' is missing: its last value stays active"),
    ])
    func `a misspelled or missing field keeps the floor and is reported`(
        json: String,
        message: String
    ) async throws {
        let database = try RealtimeDatabase()
        database.put(Self.version)
        let feed = try self.feed(database, "stream: false")
        guard case .value(let value)? = try await self.ask(feed).first else {
            Issue.record("no value")
            return
        }
        database.put(json)
        let failure = await #expect(throws: FeedFailure.self) {
            try await self.ask(feed, last: value)
        }
        #expect(failure?.description.hasPrefix(message) == true, "\(failure?.description ?? "")")
    }

    @Test(arguments: [#"{"minVersion":"","version":"3.1.0"}"#, #"{"minVersion":""}"#])
    func `an empty text requires nothing`(json: String) async throws {
        let database = try RealtimeDatabase()
        database.put(Self.version)
        let feed = try self.feed(database, "stream: false")
        guard case .value(let value)? = try await self.ask(feed).first else {
            Issue.record("no value")
            return
        }
        database.put(json)
        let next = try #require(try await self.ask(feed, last: value).first?.document)
        #expect(!next.contains("minimum"))
    }

    @Test func `the database may contain a complete rule set`() async throws {
        let database = try RealtimeDatabase()
        database.put(
            #"{"rules":[{"id":"a","minimum":"2.0","storeUrl":"https://a.example"}],"serial":7}"#
        )
        let feed = try self.feed(database, "stream: false\nholds: rules")
        let document = try #require(try await self.ask(feed).first?.document)
        let loaded = try RulesFileLoader.load(sources: [("feed:fb", document)])
        #expect(loaded.definition.rules.map(\.id) == ["a"])
        database.put(#"{"serial":8}"#)
        let empty = try #require(try await self.ask(feed).first?.document)
        #expect(try RulesFileLoader.load(sources: [("f", empty)]).definition.rules.isEmpty)
    }

    @Test(
        arguments: SourceFault.allCases.filter { $0 != .silent },
        ["stream: true", "stream: false"]
    )
    func `a fault of the server never gives a value`(fault: SourceFault, keys: String) async throws
    {
        let database = try RealtimeDatabase()
        database.put(Self.version)
        database.server.set(fault)
        let feed = try self.feed(database, keys)
        await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
    }
}

extension FeedResult {
    fileprivate var document: String? {
        guard case .value(let value) = self else { return nil }
        return value.document
    }
}
