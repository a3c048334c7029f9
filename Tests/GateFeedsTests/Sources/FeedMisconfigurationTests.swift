import Foundation
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Testing

@testable import GateFeeds

/// The messages of `feed check` on a wrong entry or a wrong source: each can be mended from its
/// message alone.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct FeedMisconfigurationTests {
    /// Entries that no source has to be asked for.
    static let entries = [
        ("source: https", "a feed needs 'url'"),
        ("url: \"https://a.example\"", "a feed needs 'source'"),
        (
            "source: htps, url: \"https://a.example\"",
            "there is no feed of the kind 'htps'; did you mean 'https'?"
        ),
        (
            "source: https, url: \"http://a.example/x\"",
            "this is no address to fetch from: http:// is for this machine alone (localhost); write "
                + "https://"
        ),
        (
            "source: https, url: \"a.example/x\"",
            "this is no address to fetch from: it cannot be read as an address such as "
                + "https://example.com/rules.yaml"
        ),
        (
            "source: https, url: \"https://user:hunter2@a.example/x\"",
            "this is no address to fetch from: an address must not hold a user name or password"
        ),
        (
            "source: https, url: \"https://a.example\", every: 60",
            "expected a length of time, found the number 60; write its unit: 60s, 60m, 60h or 60d"
        ),
        (
            "source: https, url: \"https://a.example\", every: 10m, staleAfter: 5m",
            "'staleAfter' must be longer than the 600 s between two questions"
        ),
        (
            "source: https, url: \"https://a.example\", whenStale: observe",
            "'whenStale' needs 'staleAfter' beside it"
        ),
        (
            "source: https, url: \"https://a.example\", token: hunter2",
            "a secret does not belong in the rules; name its place: { env: NAME } or { file: PATH }"
        ),
        (
            "source: https, url: \"https://a.example\", tokn: { env: A }",
            "unknown key 'tokn'; did you mean 'token'?"
        ),
        (
            "source: https, url: \"https://a.example\", accept: [lock-out]",
            "'lock-out' is no finding that can be accepted: there are 'lockout', 'plan-opens' and 'guard'; did "
                + "you mean 'lockout'?"
        ),
        (
            "source: microcms, service: my-shop, key: { env: A }",
            "a microCMS feed needs 'endpoint'"
        ),
        (
            "source: firebaseDatabase, database: \"https://a.example\", path: app/version",
            "'app/version' is not a path of the database such as '/app/version'"
        ),
        (
            "source: firebaseRemoteConfig, project: p, system: iOS, serviceAccount: { env: A }",
            "expected 'ios' or 'android', found 'iOS'; did you mean 'ios'?"
        ),
        (
            "source: firebaseRemoteConfig, project: p, system: ios, serviceAccount: metadta",
            "'metadta' is no account of Google; did you mean 'metadata'?"
        ),
        (
            "source: googlePlay, package: a.b, serviceAccount: hunter2",
            "a key does not belong in the rules; name its place: { env: NAME } or { file: PATH }, or "
                + "write 'metadata' for the account of the machine"
        ),
        (
            "source: appStore, trackId: 1, countries: [uk]",
            "'uk' is not a country code: did you mean 'gb'?"
        ),
        (
            "source: appStore, countries: [jp]",
            "an App Store feed needs either 'trackId' or 'bundleId'"
        ),
        (
            "source: etcd, url: \"https://a.example\"",
            "an etcd feed needs either 'key' or 'prefix'"
        ),
    ]

    @Test(arguments: entries)
    func `an entry that is wrong`(entry: String, message: String) {
        let errors = Self.errors { () throws(RulesFileErrors) in _ = try Self.load(entry) }
        #expect(errors == [message])
        #expect(!errors.joined().contains("hunter2"))
    }

    /// A feed's entry, its source's answer, and the message about it; SERVER is the source's address.
    static let answers: [(entry: String, answer: String, message: String)] = [
        (
            "source: https, url: SERVER", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
            "the source answers 401: it wants a credential, or does not take the one that it is shown"
        ),
        (
            "source: https, url: SERVER", "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
            "the source answers 403: it knows who asks, and does not let them read this"
        ),
        (
            "source: https, url: SERVER", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            "the source answers 404: there is nothing at this address"
        ),
        (
            "source: https, url: SERVER", Self.content("<!doctype html><html>Sign in</html>"),
            "the answer is a web page, such as one to sign in, or one of a proxy or of the wrong address"
        ),
        (
            "source: https, url: SERVER",
            "HTTP/1.1 302 Found\r\nLocation: https://b.example/\r\nContent-Length: 0\r\n\r\n",
            "a redirect to 'b.example', which is not allowed; 'redirectsTo' names hosts that are"
        ),
        (
            "source: https, url: SERVER", Self.content("rulse: []\n"),
            "unknown key 'rulse'; did you mean 'rules'?"
        ),
        (
            "source: https, url: SERVER", Self.content("rules: []\nfeeds: []\n"),
            "what a feed says cannot name feeds itself"
        ),
        (
            "source: https, url: SERVER",
            Self.content("rules: [{ id: a, minimum: 3.5, storeUrl: \"https://a\" }]"),
            "expected a version, found the number 3.5; quote it: \"3.5\""
        ),
        (
            "source: https, url: SERVER, token: { env: VERSIONGATE_TEST_NOTHING }", "",
            "the environment variable VERSIONGATE_TEST_NOTHING is not set"
        ),
        (
            "source: https, url: SERVER, token: { file: /nowhere/token }", "",
            "the secret in /nowhere/token: there is no such file or folder"
        ),
        (
            "source: microcms, url: SERVER, key: { file: KEY }",
            Self.content(#"{"minversion":"1.0","updatedAt":"2027-01-01T00:00:00Z"}"#),
            "unknown field 'minversion'; did you mean 'minAppVersion'?"
        ),
        (
            "source: microcms, url: SERVER, key: { file: KEY }",
            Self.content(#"{"other":true}"#),
            "expected content of microCMS, found an object without 'updatedAt'; is this the address of the "
                + "endpoint?"
        ),
        (
            "source: firebaseDatabase, database: SERVER, stream: false", Self.content("null"),
            "expected an object, found nothing at this place"
        ),
        (
            "source: firebaseDatabase, database: SERVER, stream: false",
            Self.content(#"{"minversion":"3.5"}"#),
            "unknown field 'minversion'; did you mean 'minVersion'?"
        ),
        (
            "source: firebaseDatabase, database: SERVER, stream: false",
            Self.content(#"{"minVersion":3.5}"#),
            "'minVersion' must be a text, found the number 3.5; numbers lose zeros (1.10 is 1.1): quote it"
        ),
    ]

    @Test(arguments: answers)
    func `a source that is wrong`(entry: String, answer: String, message: String) async throws {
        let server = try SourceServer { _ in [.send(answer), .close] }
        let folder = try TestFolder()
        try folder.write("a-key", to: "key")
        let entry = entry.replacing("SERVER", with: "\"\(server.url("/"))\"")
            .replacing("KEY", with: folder.path(of: "key"))
        let feeds = try Self.load(entry).feeds
        let probe = FeedProbe(fetcher: try Fetcher())
        let answered = await probe.ask(feeds)
        try server.stop()
        let failures = answered.compactMap(\.failure).map { "\($0)" }
        let contributions = Dictionary(
            answered.compactMap { answer in answer.contribution.map { (answer.feed.id, $0) } },
            uniquingKeysWith: { first, _ in first }
        )
        let errors = Self.errors { () throws(RulesFileErrors) in
            _ = try RulesFileLoader.load(
                [RulesSource(name: "r.yaml", bytes: Array(Self.text(entry).utf8))],
                feeds: contributions
            )
        }
        #expect(failures + errors == [message])
    }

    @Test func `nobody listens there`() async throws {
        let port = try FreePort.find()
        for (scheme, words) in [
            ("http", "nobody accepts connections there"), ("https", "nobody accepts connections"),
        ] {
            let feeds = try Self.load("source: https, url: \"\(scheme)://127.0.0.1:\(port)/\"")
                .feeds
            let answers = await FeedProbe(fetcher: try Fetcher()).ask(feeds)
            let failure = answers.first?.failure.map { "\($0)" } ?? ""
            #expect(failure.hasPrefix(words))
        }
    }

    private static func content(_ text: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
    }

    private static func text(_ entry: String) -> String {
        "rules: []\nfeeds: [{ id: f, \(entry) }]\n"
    }

    @discardableResult
    private static func load(_ entry: String) throws(RulesFileErrors) -> LoadedRules {
        try RulesFileLoader.load(sources: [("r.yaml", self.text(entry))])
    }

    private static func errors(of load: () throws(RulesFileErrors) -> Void) -> [String] {
        do throws(RulesFileErrors) {
            try load()
            return []
        } catch {
            return error.errors.map(\.message)
        }
    }
}
