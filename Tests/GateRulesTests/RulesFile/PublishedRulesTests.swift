import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// The rules that a gate publishes, read by a program that fetches nothing.
struct PublishedRulesTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_798_113_600)
    private static let later = "enforceFrom: 2027-06-01T00:00:00Z"
    private static let url = "storeUrl: 'https://a.example'"

    private static let file = #"""
        unidentified: { missing: reject, unreadable: reject, storeUrl: 'https://a.example' }
        breaker: { webhook: 'https://hooks.example/one' }
        feeds:
          - { id: f, source: https, url: 'https://a.example' }
          - { id: g, source: https, url: 'https://b.example' }
        rules:
          - id: own   # "quotes", \ and 日本語
            match: { platform: android }
            minimum: "2.0"
            recommended: "3.0"
            notice: old
            storeUrl: 'https://a.example'
        notices: { old: { en: { title: "Update\u0085", message: "あ" } } }
        """#

    private static func value(_ keys: String) -> FeedValue {
        FeedValue(document: "rules: [{ id: a, match: { platform: ios }, \(keys), \(Self.url) }]\n")
    }

    /// Loads the file with the consecutive values of its first feed, as a gate does.
    private static func gate(
        _ values: [String],
        isObserved: Bool = false
    ) throws -> (rules: LoadedRules, contributions: [String: FeedContribution]) {
        let source = RulesSource(name: "rules.yaml", bytes: Array(Self.file.utf8))
        var loaded = try RulesFileLoader.load([source], now: { Self.now })
        let feed = try #require(loaded.feeds.first)
        var contribution: FeedContribution?
        for value in values {
            var next = FeedContribution(
                fingerprint: feed.fingerprint,
                value: Self.value(value),
                isObserved: isObserved
            ).following(contribution)
            loaded = try RulesFileLoader.load(
                [source],
                feeds: ["f": next],
                after: loaded,
                now: { Self.now }
            )
            next.earlier = loaded.earlier["f"] ?? []
            contribution = next
        }
        // The value of a feed that has changed since it was fetched has no effect.
        let other = FeedContribution(fingerprint: "other", value: Self.value("minimum: '9'"))
        return (loaded, ["g": other].merging(contribution.map { ["f": $0] } ?? [:]) { $1 })
    }

    private static func read(
        _ published: PublishedRules,
        after loaded: LoadedRules? = nil,
        at now: Timestamp = Self.now
    ) throws -> LoadedRules {
        let parsed = try PublishedRules(parsing: published.json, from: "rules.json")
        #expect(parsed == published)
        return try RulesFileLoader.load(parsed, gate: .unknown, after: loaded, now: { now })
    }

    @Test(arguments: [
        [], ["minimum: '1'"], ["minimum: '1'", "minimum: '2'"],
        ["minimum: '1'", "minimum: '2', \(Self.later)"],
        ["minimum: '1'", "minimum: '2', \(Self.later)", "minimum: '3', \(Self.later)"],
    ])
    func `they are those of the gate, with the values of feeds`(values: [String]) throws {
        for isObserved in [false, true] {
            let (rules, contributions) = try Self.gate(values, isObserved: isObserved)
            let published = PublishedRules(rules, acting: rules.ruleSet, contributions)
            let read = try Self.read(published)
            #expect(read.definition == rules.definition)
            // The value has been read before.
            #expect(try Self.read(published, after: read).definition == rules.definition)
        }
    }

    @Test(arguments: [["a"], ["own", "unidentified"], ["a", "own", "unidentified"]])
    func `rules observe that the circuit breaker has set to observe mode`(names: [String]) throws {
        let (rules, contributions) = try Self.gate(["minimum: '1'", "minimum: '2', \(Self.later)"])
        let acting = rules.definition.observing(Set(names))
        let published = PublishedRules(rules, acting: RuleSet(acting), contributions)
        #expect(published.observed == names)
        #expect(try Self.read(published).definition == acting)
        #expect(acting != rules.definition)
    }

    @Test func `the revision stays that of the gate, when an earlier floor is not needed any more`()
        throws
    {
        let (rules, contributions) = try Self.gate(["minimum: '1'", "minimum: '2', \(Self.later)"])
        let published = PublishedRules(rules, acting: rules.ruleSet, contributions)
        let later = try Self.read(published, at: Self.now.advanced(by: 365 * 86_400))
        #expect(later.definition.rules.last?.next == [])
        #expect(later.definition.revision == rules.definition.revision)
    }

    @Test(arguments: [
        ("", "rules.json:1:1: published rules must be JSON: invalid JSON"),
        ("rules: []", "must be JSON"), ("{}", "--publish-rules"),
        (#"{"format": 2}"#, "--publish-rules"),
        (#"{"format": 1, "revision": "a", "files": [{}]}"#, "--publish-rules"),
        (
            #"{"format": 1, "revision": "a", "files": [], "feeds": [{"id": "f"}], "observed": []}"#,
            "--publish-rules"
        ),
    ])
    func `other content is refused with the reason`(text: String, reason: String) {
        let error = #expect(throws: RulesFileError.self) {
            try PublishedRules(parsing: Array(text.utf8), from: "rules.json")
        }
        #expect(error.map { "\($0)".contains(reason) } == true)
    }

    @Test func `a value that is not valid is an error, with its place`() throws {
        let (rules, contributions) = try Self.gate(["minimum: '1'"])
        let published = PublishedRules(rules, acting: rules.ruleSet, contributions)
        let text = String(decoding: published.json, as: UTF8.self)
            .replacing("minimum: '1'", with: "minimum: 'x'")
        let parsed = try PublishedRules(parsing: Array(text.utf8), from: "rules.json")
        let errors = #expect(throws: RulesFileErrors.self) {
            try RulesFileLoader.load(parsed, gate: .unknown, after: nil, now: { Self.now })
        }
        #expect(errors?.errors.first?.file == "feed:f")
    }
}
