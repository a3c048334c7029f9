import Foundation
import GatePolicy
@testable import GateRules
import GateTestSupport
import Glibc
import RulesTestSupport
import Synchronization
import Testing

@testable import GateControl

/// The cost of a load: nothing is parsed, compiled or compared more often than necessary.
@Suite(.ownThread, .timeLimit(.minutes(2 * GateExecutable.slowdown)))
struct LoadedOnceTests {
    /// 2026-11-22T12:00:00Z.
    private static let now = Timestamp(secondsSinceEpoch: 1_795_348_800)

    private static let feeds =
        "feeds: [{ id: one, source: https, url: https://a.example, every: 1m }]\n"
    private static let words = "notices: { n: { en: { title: t, message: m } } }\n"

    /// Returns rules that alternate between an app and a path.
    private static func rules(_ count: Int, _ keys: (Int) -> String) -> String {
        let rules = (0..<count).map { number in
            let match =
                number.isMultiple(of: 2)
                ? "app: com.example.app\(number)" : "path: /v2/area\(number)/**"
            return "- { id: r-\(number), match: { platform: ios, \(match) }, \(keys(number)), "
                + "notice: n, storeUrl: https://a.example }\n"
        }
        return "rules:\n" + rules.joined() + Self.words
    }

    private static func load(_ text: String) throws -> LoadedRules {
        try RulesFileLoader.load(sources: [("rules.yaml", text)], now: { Self.now })
    }

    private static func contribution(_ minimum: String, _ feed: FeedDefinition) -> FeedContribution
    {
        let rule =
            "rules: [{ id: fed, match: { app: fed }, minimum: '\(minimum)', "
            + "storeUrl: 'https://a.example' }]\n"
        return FeedContribution(fingerprint: feed.fingerprint, value: FeedValue(document: rule))
    }

    @Test func `a feed value does not cause the files to be parsed again`() throws {
        let text = Self.feeds + Self.rules(2) { _ in "minimum: '2'" }
        let loaded = try Self.load(text)
        let feed = try #require(loaded.feeds.first)
        let source = try #require(loaded.sources.first)
        // Here, the cached document differs from the text, so a second parse would be detected.
        var remembered = try #require(loaded.parsed.document(source))
        remembered.rules?[0].value.minimum = try AppVersion(parsing: "7")
        let understood = LoadedRules(
            ruleSet: loaded.ruleSet,
            feeds: loaded.feeds,
            places: loaded.places,
            sources: loaded.sources,
            beginning: loaded.beginning,
            parsed: ParsedSources([source], [remembered]),
            earlier: [:],
            laxTests: []
        )
        let loader = RulesFileLoader(path: "/nowhere/rules.yaml", now: { Self.now })
        let fed = try loader.load(again: understood, feeds: [feed.id: Self.contribution("1", feed)])
        #expect(fed.definition.rules.map(\.minimum?.description) == ["7", "2", "1"])
        // The same applies after a feed value was merged.
        let next = try loader.load(again: fed, feeds: [feed.id: Self.contribution("3", feed)])
        #expect(next.definition.rules.map(\.minimum?.description) == ["7", "2", "3"])
    }

    @Test func `the revision depends on all sources, regardless of caching`() throws {
        let loaded = try Self.load(Self.feeds + Self.rules(2) { _ in "minimum: '2'" })
        let feed = try #require(loaded.feeds.first)
        let loader = RulesFileLoader(path: "/nowhere/rules.yaml", now: { Self.now })
        let contributions = [feed.id: Self.contribution("1", feed)]
        let fed = try loader.load(again: loaded, feeds: contributions)
        let afresh = try RulesFileLoader.load(loaded.sources, feeds: contributions)
        #expect(fed.definition.revision == afresh.definition.revision)
        #expect(fed.definition.revision != loaded.definition.revision)
    }

    @Test func `the published, the tested and the stored rule set are identical`() async throws {
        let published = Mutex<[RuleSet]>([])
        let kept = Mutex<[RuleSet]>([])
        let loads = Mutex<[RuleSet]>([])
        let reloader = RulesReloader(
            collaborators: .init(keep: { loaded in kept.withLock { $0.append(loaded.ruleSet) } }),
            logger: LogRecorder().logger,
            load: { (_, feeds, current) throws(RulesFileErrors) in
                let text = Self.feeds + Self.rules(2) { _ in "minimum: '2'" }
                let source = RulesSource(name: "rules.yaml", bytes: Array(text.utf8))
                let loaded = try RulesFileLoader.load([source], feeds: feeds, after: current)
                loads.withLock { $0.append(loaded.ruleSet) }
                return loaded
            },
            publish: { rules in published.withLock { $0.append(rules) } }
        )
        await reloader.reload(reason: .start)
        let feed = try #require(await reloader.current?.feeds.first)
        #expect(await reloader.offer(Self.contribution("1", feed), of: feed).isEmpty)
        let current = try #require(await reloader.current?.ruleSet)
        let ids = loads.withLock { $0.map(ObjectIdentifier.init) }
        #expect(ids.count == 2)
        #expect(published.withLock { $0.map(ObjectIdentifier.init) } == ids)
        #expect(kept.withLock { $0.map(ObjectIdentifier.init) } == [ids[0]])
        #expect(ObjectIdentifier(current) == ids[1])
    }

    /// The CPU time of this thread, which other threads do not affect.
    private static var usedTime: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The cost is limited, because rules are not compared with all others, and only some undo findings are calculated.
    @Test(arguments: [
        ("lower", { @Sendable (_: Int) in "minimum: '1.9', recommended: '3'" }),
        ("higher", { @Sendable (_: Int) in "minimum: '2.5', recommended: '3'" }),
        ("planned", { @Sendable (_: Int) in "minimum: '3', enforceFrom: 2027-01-10T00:00:00Z" }),
    ])
    func `hundreds of changed rules are checked in limited time`(
        name: String,
        keys: @Sendable (Int) -> String
    ) throws {
        let old = try Self.load(Self.rules(300) { _ in "minimum: '2', recommended: '3'" })
        let new = try Self.load(Self.rules(300, keys))
        let start = Self.usedTime
        let findings = RulesFindings(new, against: old, at: Self.now)
        #expect(Self.usedTime - start < .seconds(60), "\(name)")
        let plans = findings.refusals.filter { $0.name == .planOpens }
        // Some of the findings are reported, and the others are counted.
        #expect(plans.count == (name == "planned" ? 20 : 0))
        #expect(findings.all.contains { $0.name == .laxer })
    }
}
