import Foundation
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Testing

@testable import GateFeeds

/// The messages of `feed check` for an invalid entry or source.
///
/// Each message contains enough to fix the problem.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct FeedMisconfigurationTests {
    /// Invalid entries that are detected without a fetch.
    static let entries = [
        ("source: https", "a feed needs 'url'"),
        ("url: \"https://a.example\"", "a feed needs 'source'"),
        (
            "source: htps, url: \"https://a.example\"",
            "unknown feed kind 'htps'; did you mean 'https'?"
        ),
        (
            "source: https, url: \"http://a.example/x\"",
            "this URL cannot be fetched: http:// is only allowed for this machine (localhost); use "
                + "https://"
        ),
        (
            "source: https, url: \"a.example/x\"",
            "this URL cannot be fetched: expected a URL such as "
                + "https://example.com/rules.yaml"
        ),
        (
            "source: https, url: \"https://user:hunter2@a.example/x\"",
            "this URL cannot be fetched: a URL must not contain a user name or password"
        ),
        (
            "source: https, url: \"https://a.example\", every: 60",
            "expected a duration, found the number 60; write its unit: 60s, 60m, 60h or 60d"
        ),
        (
            "source: https, url: \"https://a.example\", every: 10m, staleAfter: 5m",
            "'staleAfter' must be longer than the polling interval of 600 s"
        ),
        (
            "source: https, url: \"https://a.example\", whenStale: observe",
            "'whenStale' requires 'staleAfter'"
        ),
        (
            "source: https, url: \"https://a.example\", token: hunter2",
            "a secret must not be in the rules; set its location: { env: NAME } or { file: PATH }"
        ),
        (
            "source: https, url: \"https://a.example\", tokn: { env: A }",
            "unknown key 'tokn'; did you mean 'token'?"
        ),
        (
            "source: https, url: \"https://a.example\", accept: [lock-out]",
            "'lock-out' cannot be accepted; only 'lockout', 'plan-opens', 'guard' and "
                + "'unknown-backend' can; did "
                + "you mean 'lockout'?"
        ),
        (
            "source: microcms, service: my-shop, key: { env: A }",
            "a microCMS feed needs 'endpoint'"
        ),
        (
            "source: firebaseDatabase, database: \"https://a.example\", path: app/version",
            "'app/version' is not a database path such as '/app/version'"
        ),
        (
            "source: firebaseRemoteConfig, project: p, system: iOS, serviceAccount: { env: A }",
            "expected 'ios' or 'android', found 'iOS'; did you mean 'ios'?"
        ),
        (
            "source: firebaseRemoteConfig, project: p, system: ios, serviceAccount: metadta",
            "'metadta' is not a Google account; did you mean 'metadata'?"
        ),
        (
            "source: googlePlay, package: a.b, serviceAccount: hunter2",
            "a key must not be in the rules; set its location: { env: NAME } or { file: PATH }, or "
                + "use 'metadata' for the service account attached to this machine"
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
    func `an invalid entry is rejected with a specific message`(entry: String, message: String) {
        let errors = Self.errors { () throws(RulesFileErrors) in _ = try Self.load(entry) }
        #expect(errors == [message])
        #expect(!errors.joined().contains("hunter2"))
    }

    /// An entry, the response of its source, and the resulting message; SERVER is the address of
    /// the source.
    static let answers: [(entry: String, answer: String, message: String)] = [
        (
            "source: https, url: SERVER", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
            "the source responded with 401: the credential is missing or not accepted"
        ),
        (
            "source: https, url: SERVER", "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
            "the source responded with 403: the credential does not permit reading"
        ),
        (
            "source: https, url: SERVER", "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            "the source responded with 404: there is no resource at this URL"
        ),
        (
            "source: https, url: SERVER", Self.content("<!doctype html><html>Sign in</html>"),
            "the response is an HTML page; check the URL, the credentials and the proxy"
        ),
        (
            "source: https, url: SERVER",
            "HTTP/1.1 302 Found\r\nLocation: https://b.example/\r\nContent-Length: 0\r\n\r\n",
            "the redirect to 'b.example' is not allowed; list permitted hosts under 'redirectsTo'"
        ),
        (
            "source: https, url: SERVER", Self.content("rulse: []\n"),
            "unknown key 'rulse'; did you mean 'rules'?"
        ),
        (
            "source: https, url: SERVER", Self.content("rules: []\nfeeds: []\n"),
            "a feed value cannot contain 'feeds'"
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
            "expected microCMS content, found an object without 'updatedAt'; check the URL of the endpoint"
        ),
        (
            "source: firebaseDatabase, database: SERVER, stream: false", Self.content("null"),
            "expected an object, found nothing at this location"
        ),
        (
            "source: firebaseDatabase, database: SERVER, stream: false",
            Self.content(#"{"minversion":"3.5"}"#),
            "unknown field 'minversion'; did you mean 'minVersion'?"
        ),
        (
            "source: firebaseDatabase, database: SERVER, stream: false",
            Self.content(#"{"minVersion":3.5}"#),
            "'minVersion' must be a string, found the number 3.5; numbers lose trailing zeros (1.10 is 1.1): quote it"
        ),
    ]

    @Test(arguments: answers)
    func `an invalid source response is reported with a specific message`(
        entry: String,
        answer: String,
        message: String
    ) async throws {
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

    @Test func `a refused connection is reported`() async throws {
        let port = try FreePort.find()
        for (scheme, words) in [
            ("http", "the connection was refused, or the host is unreachable"),
            ("https", "the connection was refused"),
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
