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
            testDescription: "the documentation's",
            events: [
                ("put", #"{"path":"/","data":{"a":1,"b":2}}"#),
                ("put", #"{"path":"/c","data":{"foo":true,"bar":false}}"#),
                ("patch", #"{"path":"/c","data":{"foo":3,"baz":4}}"#),
            ],
            value: #"{"a": 1, "b": 2, "c": {"bar": false, "foo": 3, "baz": 4}}"#
        ),
        Story(
            testDescription: "null removes, and takes empty parents along",
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
            testDescription: "deep names of a patch",
            events: [
                ("put", #"{"path":"/","data":{"a":{"b":1,"c":2}}}"#),
                ("patch", #"{"path":"/","data":{"a/b":5,"x/y":6}}"#),
            ],
            value: #"{"a": {"c": 2, "b": 5}, "x": {"y": 6}}"#
        ),
        Story(
            testDescription: "a scalar on the way",
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
            testDescription: "objects that hold nothing",
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
    func `puts and patches make one value`(story: Story) throws {
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

    @Test func `other events say what is to be done`() throws {
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

    @Test func `a stream that has no value is given up`() throws {
        var tree = FirebaseDatabaseTree()
        let actions = try (0..<3).map { _ in
            try tree.receive(Event(name: "keep-alive", data: "null"))
        }
        #expect(actions == [.ignore, .ignore, .giveUp("the stream is open and says no value")])
    }

    @Test(arguments: [
        ("put", "nonsense"), ("put", "{}"), ("put", #"{"path":"/"}"#), ("put", #"{"data":1}"#),
        ("patch", #"{"path":"/","data":1}"#), ("put", "null"),
    ])
    func `events that lack what they need are refused`(name: String, data: String) {
        var tree = FirebaseDatabaseTree()
        #expect(throws: FeedFailure.self) { try tree.receive(Event(name: name, data: data)) }
    }
}

/// Real sockets on loopback: a server that speaks as the database does.
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
    ) async throws(FeedFailure) -> [FeedAnswer] {
        let answers = Mutex<[FeedAnswer]>([])
        try await feed.source.follow(self.context(last)) { answer in
            answers.withLock { $0.append(answer) }
        }
        return answers.withLock(\.self)
    }

    /// Listens; each answer is handed to the body, in order, until it says that it has enough.
    private func listen(
        _ feed: FeedDefinition,
        _ body: @escaping @Sendable (Int, FeedAnswer) -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        var count = 0
        return try await feed.source.follow(self.context()) { answer in
            body(count, answer)
            count += 1
        }
    }

    @Test func `a stream is followed to its shard, and tells every change`() async throws {
        let database = try RealtimeDatabase(secret: "hunter2")
        database.put(Self.version)
        let path = self.folder.path(of: "secret")
        let feed = try self.feed(database, "secret: { file: '\(path)' }")
        let seen = Mutex<[FeedAnswer]>([])
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
        #expect(failure.description.contains("'minVersion' must be a text, found the number 3"))
        guard case .nonsense(let gone) = answers[4] else {
            Issue.record("\(answers[4])")
            return
        }
        #expect(
            gone.description
                == "'minVersion' is gone: what it asked for stays; "
                + "to ask for nothing, make it an empty text"
        )
        #expect(answers[5].document?.contains("minimum") == false)
        let first = try #require(database.server.requests.first)
        let second = try #require(database.shard.requests.first)
        #expect(first.target == "/app/version.json?auth=hunter2")
        #expect(second.target == "/app/version.json?auth=hunter2")
        #expect(second.fields["Accept"] == ["text/event-stream"])
    }

    @Test func `a credential that is revoked, and a read that is forbidden, end the stream`()
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
    func `a wrong secret is told of in the words of the database`(keys: String) async throws {
        let database = try RealtimeDatabase(secret: "another")
        let path = self.folder.path(of: "secret")
        let feed = try self.feed(database, "\(keys)\nsecret: { file: '\(path)' }")
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
        #expect(failure?.description == "the source answers 401: Permission denied")
        #expect(failure?.retryAfter == 60)
    }

    @Test func `asked again and again, it answers by ETag`() async throws {
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
    func `what is no object is no value`(json: String) async throws {
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
        (#"{"version":"3.1.0"}"#, "'minVersion' is gone: what it asked for stays"),
    ])
    func `what is misspelt or gone keeps the floor, and says so`(
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
    func `an empty text asks nothing`(json: String) async throws {
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

    @Test func `a whole rule set may lie in the database`() async throws {
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
    func `no fault makes a value`(fault: SourceFault, keys: String) async throws {
        let database = try RealtimeDatabase()
        database.put(Self.version)
        database.server.set(fault)
        let feed = try self.feed(database, keys)
        await #expect(throws: FeedFailure.self) { try await self.ask(feed) }
    }
}

extension FeedAnswer {
    fileprivate var document: String? {
        guard case .value(let value) = self else { return nil }
        return value.document
    }
}
