import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

/// Requests to a server that emulates Remote Config.
@Suite(
    .ownThread,
    .timeLimit(.minutes(5)),
    .enabled(if: FeedServer.canRun && GoogleTestAccount.canBeMade, "python3 or openssl is missing")
)
struct FirebaseRemoteConfigFeedTests {
    private let server: FeedServer
    private let google: GoogleTestAccount
    private let folder: TestFolder
    private let fetcher: Fetcher
    private let feed: FeedDefinition

    init() throws {
        self.server = try FeedServer("firebase-remote-config")
        self.google = try GoogleTestAccount(tokenURL: self.server.url("/token"))
        self.folder = try TestFolder()
        try self.folder.write(self.google.json, to: "account.json")
        self.fetcher = try Fetcher()
        let file = """
            feeds:
            - id: rc
              source: firebaseRemoteConfig
              url: \(self.server.url(""))
              serviceAccount: { file: '\(self.folder.path(of: "account.json"))' }
              project: example
              system: ios
              rule: { storeUrl: "https://a.example", snooze: 1d, status: 403 }
            """
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", file)])
        self.feed = try #require(loaded.feeds.first)
        try self.server.setState(self.google.state(Self.template("3.5.0")))
    }

    private static func template(_ minimum: String, _ more: String = "") -> String {
        #""template":{"parameters":{"min_version":{"defaultValue":{"value":"\#(minimum)"}}}\#(more)}"#
    }

    private func change(_ minimum: String, _ more: String = "") throws {
        try self.server.changeState("{\(Self.template(minimum, more))}")
    }

    private func ask(
        last: FeedValue? = nil,
        at now: Timestamp? = nil
    ) async throws(FeedFailure) -> FeedResult? {
        let now = now ?? SystemClock.now()
        let context = FeedContext(feed: "rc", fetcher: self.fetcher, last: last, now: { now })
        let answers = Mutex<[FeedResult]>([])
        let end = try await self.feed.source.follow(context) { answer in
            answers.withLock { $0.append(answer) }
        }
        #expect(end == .complete)
        return answers.withLock(\.last)
    }

    private func value(last: FeedValue? = nil, at now: Timestamp? = nil) async throws -> FeedValue {
        guard case .value(let value)? = try await self.ask(last: last, at: now) else {
            throw HarnessError("no value")
        }
        return value
    }

    @Test(arguments: [
        ("app.version.==(['3.7.2']) && app.build.<(['93'])", "3.7.3", "<93 of 3.7.2"),
        (
            "app.version.matches(['-(alpha|beta)'])", "4.0.0",
            "of >=3.5.0 <4.0.0, versionMatches -(alpha|beta)"
        ),
    ])
    func `a condition on builds becomes blocked builds`(
        expression: String,
        minimum: String,
        blocked: String
    ) async throws {
        let condition = #"{"name":"bad","expression":"\#(expression)"}"#
        try self.server.changeState(
            #"{"template":{"conditions":[\#(condition)],"parameters":{"min_version":{"#
                + #""defaultValue":{"value":"3.5.0"},"conditionalValues":{"bad":{"#
                + #""value":"\#(minimum)"}}}}}}"#
        )
        let value = try await self.value()
        let loaded = try RulesFileLoader.load(sources: [("rc.json", value.document)])
        let rule = try #require(loaded.ruleSet.definition.rules.first)
        #expect(rule.minimum?.description == "3.5.0")
        #expect(rule.blockedBuilds.map(\.description) == [blocked])
        #expect(value.notes == nil)
    }

    @Test func `a template is applied, and later fetches use its ETag`() async throws {
        let first = try await self.value()
        #expect(first.document.contains(#""minimum": "3.5.0""#))
        #expect(try await self.ask(last: first) == .unchanged)
        try self.change("4.0.0")
        let second = try await self.value(last: first)
        #expect(second.document.contains(#""minimum": "4.0.0""#))
        let requests = try self.server.requests().filter { $0.path != "/token" }
        #expect(Set(requests.map(\.path)) == ["/v1/projects/example/remoteConfig"])
        #expect(requests.allSatisfy { $0.headers["accept-encoding"] == "gzip" })
        #expect(requests.allSatisfy { $0.headers["if-none-match"] == nil })
    }

    @Test func `settings without effect are omitted`() async throws {
        #expect(try !(await self.value()).document.contains("snooze"))
        let latest = #"{"lastest_version":{"defaultValue":{"value":"4.0"}},"min_version":{}}"#
        try self.server.changeState(#"{"template":{"parameters":\#(latest)}}"#)
        let document = try await self.value().document
        #expect(document.contains("snooze"))
        #expect(!document.contains("status"))
        let loaded = try RulesFileLoader.load(sources: [("feed:rc", document)])
        #expect(loaded.definition.rules.first?.recommended?.description == "4.0")
    }

    @Test func `a condition that only Firebase can evaluate is in a comment`() async throws {
        let conditions = #"[{"name":"Beta\ntesters","expression":"app.audiences.in(['b'])"}]"#
        let value =
            #"{"defaultValue":{"value":"2.0"},"conditionalValues":{"Beta\ntesters":{"value":"9"}}}"#
        try self.server.changeState(
            #"{"template":{"conditions":\#(conditions),"parameters":{"min_version":\#(value)}}}"#
        )
        let document = try await self.value().document
        let remark = "# only Firebase can evaluate 'Beta testers': the lowest version applies"
        #expect(document.hasPrefix(remark + "\n"))
        let loaded = try RulesFileLoader.load(sources: [("feed:rc", document)])
        #expect(loaded.definition.rules.first?.minimum?.description == "2.0")
    }

    @Test func `a missing floor is kept, and an empty one is removed`() async throws {
        let first = try await self.value()
        func publish(_ parameters: String) throws {
            try self.server.changeState(#"{"template":{"parameters":{\#(parameters)}}}"#)
        }
        let latest = #""lastest_version":{"defaultValue":{"value":"4.0"}}"#
        try publish(latest)
        let gone = await #expect(throws: FeedFailure.self) { try await self.ask(last: first) }
        #expect(
            gone?.description.hasPrefix("'min_version' is missing: its last value stays active")
                == true
        )
        try publish(#""min_verison":{"defaultValue":{"value":"4.0.1"}},\#(latest)"#)
        let misspelt = await #expect(throws: FeedFailure.self) { try await self.ask(last: first) }
        #expect(misspelt?.description.contains("did you mean 'min_verison'?") == true)
        try publish(#""min_version":{"defaultValue":{"value":""}},\#(latest)"#)
        let empty = try await self.value(last: first)
        #expect(!empty.document.contains("minimum"))
        #expect(empty.document.contains(#""recommended": "4.0""#))
    }

    @Test func `without a platform, the rule is for the configured system`() async throws {
        let document = try await self.value().document
        #expect(document.contains(#""match": {"platform": "ios"}"#))
    }

    @Test func `an unexpected 304 is an error`() async throws {
        let first = try await self.value()
        try self.server.setFaults(FeedFault("status", path: "/v1/", code: 304))
        await #expect(throws: FeedFailure.self) { try await self.ask(last: first) }
    }

    @Test func `a condition on the time becomes true without a new template`() async throws {
        // Uses the current time, because Google rejects assertions from another day.
        let now = SystemClock.now()
        let start = Timestamp(secondsSinceEpoch: now.secondsSinceEpoch - 100)
        let expression = "dateTime >= dateTime('\("\(start)".dropLast())', 'UTC')"
        let parameter =
            #"{"defaultValue":{"value":"1.0"},"conditionalValues":{"c":{"value":"2.0"}}}"#
        try self.server.changeState(
            #"""
            {"template":{"conditions":[{"name":"c","expression":"\#(expression)"}],\#
            "parameters":{"min_version":\#(parameter)}}}
            """#
        )
        let earlier = Timestamp(secondsSinceEpoch: start.secondsSinceEpoch - 1)
        let before = try await self.value(at: earlier)
        #expect(before.document.contains(#""minimum": "1.0""#))
        let after = try await self.value(last: before, at: start)
        #expect(after.document.contains(#""minimum": "2.0""#))
        #expect(after.memory["etag"] == before.memory["etag"])
        #expect(try await self.ask(last: after) != .unchanged)
    }

    @Test func `an older template is rejected`() async throws {
        try self.change("3.0.0", #","version":{"versionNumber":"42"}"#)
        let first = try await self.value()
        try self.change("2.0.0", #","version":{"versionNumber":"41"}"#)
        let message = "the template version 41 is lower than the last one, 42"
        await #expect(throws: FeedFailure.content(message)) { try await self.ask(last: first) }
        try self.change("1.0.0", #","version":{"versionNumber":"43"}"#)
        #expect(try await self.value(last: first).memory["version"] == "43")
    }

    @Test(arguments: ["absent-keys", "empty-object", "404"])
    func `an empty template is an error`(form: String) async throws {
        try self.server.changeState(#"{"template":null,"emptyTemplate":"\#(form)"}"#)
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask() }
        let text = form == "404" ? "NOT_FOUND" : "the template has no parameter 'min_version'"
        #expect(failure?.description.contains(text) == true, "\(failure?.description ?? "")")
    }

    @Test func `an invalid minimum is reported with its parameter`() async throws {
        try self.change("soon")
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask() }
        #expect(failure?.description.hasPrefix("the parameter 'min_version' is 'soon': ") == true)
    }

    @Test func `a project in which the API is disabled is reported with Google's message`()
        async throws
    {
        try self.server.changeState(#"{"enabled":false}"#)
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask() }
        #expect(failure?.description.contains("403: PERMISSION_DENIED, Firebase Remote") == true)
    }

    @Test(arguments: [
        "reset", "truncated", "oversized", "not-http", "400", "401", "403", "404", "429", "500",
        "503", "redirect", "redirect-loop", "redirect-nowhere", "empty", "html", "null",
        "bad-json", "not-utf8", "bad-gzip", "unknown-encoding", "big-head", "gzip-bomb",
    ])
    func `a fault of the server never gives a value`(fault: String) async throws {
        let first = try await self.value()
        try self.server.setFaults(FeedFault(fault, path: "/v1/"))
        let failure = await #expect(throws: FeedFailure.self) { try await self.ask(last: first) }
        #expect(failure?.description.isEmpty == false)
        #expect(failure?.description.contains("ya29.") == false)
        try self.server.setFaults()
        #expect(try await self.ask(last: first) == .unchanged)
    }
}
