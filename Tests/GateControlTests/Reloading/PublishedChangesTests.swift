import GatePolicy
import GateRecords
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateControl
@testable import GateRules

/// The rules that the module in Envoy gets after each kind of change.
@Suite(.ownThread)
struct PublishedChangesTests {
    /// A circuit breaker that trips on command.
    private actor TripSwitch: RulesFilter {
        private var isTripped = false

        func set(_ isTripped: Bool) { self.isTripped = isTripped }

        func admit(_ rules: LoadedRules, after former: LoadedRules?) -> RuleSet {
            self.acting(rules).ruleSet
        }

        func acting(_ rules: LoadedRules) -> LoadedRules {
            var rules = rules
            if self.isTripped { rules.ruleSet = RuleSet(rules.definition.observing(["own"])) }
            return rules
        }
    }

    private static func file(_ floor: String) -> String {
        """
        feeds: [{ id: f, source: https, url: 'https://a.example' }]
        rules: [{ id: own, minimum: '\(floor)', storeUrl: 'https://a.example' }]

        """
    }

    private static func value(_ floor: String, of feed: FeedDefinition) -> FeedContribution {
        let rule = "rules: [{ id: a, minimum: '\(floor)', storeUrl: 'https://a.example' }]\n"
        return FeedContribution(fingerprint: feed.fingerprint, value: FeedValue(document: rule))
    }

    @Test func `they are those in force, after files, feeds, trips and an undo`() async throws {
        let folder = try TestFolder()
        try folder.write(Self.file("1"), to: "rules.yaml")
        let published = Mutex<PublishedRules?>(nil)
        let trips = TripSwitch()
        let log = LogRecorder()
        let reloader = RulesReloader(
            loader: RulesFileLoader(path: folder.path(of: "rules.yaml")),
            collaborators: .init(
                filter: trips,
                archive: RulesArchive.open(in: nil, logger: log.logger),
                publishToModule: { rules in published.withLock { $0 = rules } }
            ),
            logger: log.logger,
            publish: { _ in }
        )
        /// The floors and modes in the published file, read as the module reads it.
        func floors() throws -> [String] {
            let last = published.withLock { $0 }
            let json = try #require(last).json
            let parsed = try PublishedRules(parsing: json, from: "rules.json")
            let rules = try RulesFileLoader.load(
                parsed,
                gate: .unknown,
                after: nil,
                now: { Timestamp(secondsSinceEpoch: 1_798_113_600) }
            )
            return rules.definition.rules.map { rule in
                "\(rule.id) \(rule.minimum.map { "\($0)" } ?? "") \(rule.mode.rawValue)"
            }
        }

        await reloader.reload(reason: .start)
        let first = try #require(await reloader.current)
        #expect(try floors() == ["own 1 enforce"])
        let feed = try #require(first.feeds.first)
        #expect(await reloader.offer(Self.value("5", of: feed), of: feed).isEmpty)
        #expect(try floors() == ["own 1 enforce", "a 5 enforce"])
        await trips.set(true)
        await reloader.republish()
        #expect(try floors() == ["own 1 observe", "a 5 enforce"])
        await trips.set(false)
        await reloader.republish()
        #expect(try floors() == ["own 1 enforce", "a 5 enforce"])

        try folder.write(Self.file("2"), to: "rules.yaml")
        await reloader.reload(reason: .signal)
        #expect(try floors() == ["own 2 enforce", "a 5 enforce"])
        let second = try #require(await reloader.current).definition.revision
        let undo = await reloader.undo(to: first.definition.revision, seen: second)
        guard case .done = undo else {
            Issue.record("\(undo)")
            return
        }
        // An undo concerns the files, not the feeds.
        #expect(try floors() == ["own 1 enforce", "a 5 enforce"])
        let refused = await reloader.offer(Self.value("x", of: feed), of: feed)
        #expect(!refused.isEmpty)
        #expect(try floors() == ["own 1 enforce", "a 5 enforce"])
    }
}
