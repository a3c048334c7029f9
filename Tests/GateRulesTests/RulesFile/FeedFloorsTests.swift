import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// A feed's previous floor, which is kept below the next one while it is needed.
struct FeedFloorsTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_798_113_600)
    private static let later = "enforceFrom: 2027-06-01T00:00:00Z"

    private static func document(_ keys: String) -> String {
        keys.isEmpty
            ? "rules: []\n"
            : "rules: [{ id: a, match: { platform: ios }, \(keys), storeUrl: 'https://a.example' }]\n"
    }

    /// Returns the active floor and the scheduled floors, in this order, after these consecutive feed values.
    private func floors(_ values: [String]) throws -> [String] {
        let file = "feeds: [{ id: f, source: https, url: 'https://a.example' }]\n"
        let source = RulesSource(name: "rules.yaml", bytes: Array(file.utf8))
        let feed = try #require(
            try RulesFileLoader.load([source], now: { Self.now }).feeds.first
        )
        var contribution: FeedContribution?
        var loaded: LoadedRules?
        for value in values {
            let next = FeedContribution(
                fingerprint: feed.fingerprint,
                value: FeedValue(document: Self.document(value))
            ).following(contribution)
            loaded = try RulesFileLoader.load(
                [source],
                feeds: ["f": next],
                after: loaded,
                now: { Self.now }
            )
            contribution = next
            contribution?.earlier = loaded?.earlier["f"] ?? []
        }
        return loaded?.definition.rules.first?.withNext.map { floor in
            floor.minimum.map { "\($0)" } ?? floor.blocked.map { "\($0)" }.joined(separator: " ")
        } ?? []
    }

    private static let table: [([String], [String])] = [
        (["minimum: '1'"], ["1"]),
        // The floor is raised with immediate effect.
        (["minimum: '1'", "minimum: '2'"], ["2"]),
        (["minimum: '1'", "minimum: '2', \(Self.later)"], ["1", "2"]),
        (["minimum: '1'", "minimum: '2', holdUntilInStore: true"], ["1", "2"]),
        (["minimum: '1'", "minimum: '2', rollout: 5"], ["1", "2"]),
        // It is raised twice before the first new floor is active.
        (
            ["minimum: '1'", "minimum: '2', \(Self.later)", "minimum: '3', \(Self.later)"],
            ["1", "2", "3"]
        ),
        // It is raised, and the new floor becomes active.
        (["minimum: '1'", "minimum: '2', \(Self.later)", "minimum: '2'"], ["2"]),
        (["minimum: '1'", "minimum: '2'", "minimum: '3', \(Self.later)"], ["2", "3"]),
        // It is lowered to a value in between, and below all others.
        (
            ["minimum: '1'", "minimum: '3', \(Self.later)", "minimum: '2', \(Self.later)"],
            ["1", "2"]
        ),
        (["minimum: '1'", "minimum: '3', \(Self.later)", "minimum: '0.5'"], ["0.5"]),
        // The same floor with a later start is an undo, and so is removing the floor.
        (["minimum: '1'", "minimum: '1', \(Self.later)"], ["1"]),
        (["minimum: '1'", "recommended: '5'"], [""]),
        (["minimum: '1'", ""], []),
        (["blocked: '3.7'", "blocked: ['3.7', '3.8'], \(Self.later)"], ["3.7", "3.7 3.8"]),
        (["blocked: '3.7'", "blocked: '3.8', \(Self.later)"], ["3.8"]),
    ]

    @Test(arguments: Self.table)
    func `a floor is kept until the next one is active`(
        _ values: [String],
        _ expected: [String]
    ) throws {
        #expect(try self.floors(values) == expected)
    }
}
