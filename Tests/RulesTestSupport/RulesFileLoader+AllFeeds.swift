import GateFeeds
package import GatePolicy
internal import GateSystem

@testable package import GateRules

/// Loads rules as the gate does, with every kind of feed, and with the machine's clock unless a test has its own time.
extension RulesFileLoader {
    package init(path: String, now: @escaping @Sendable () -> Timestamp = SystemClock.now) {
        self.init(path: path, feedKinds: .all, now: now)
    }

    package static func load(
        sources: [(name: String, text: String)],
        after loaded: LoadedRules? = nil,
        now: () -> Timestamp = SystemClock.now
    ) throws(RulesFileErrors) -> LoadedRules {
        try self.load(sources: sources, feedKinds: .all, after: loaded, now: now)
    }

    package static func load(
        _ sources: [RulesSource],
        feeds contributions: [String: FeedContribution] = [:],
        after loaded: LoadedRules? = nil,
        now: () -> Timestamp = SystemClock.now
    ) throws(RulesFileErrors) -> LoadedRules {
        try self.load(
            sources,
            feedKinds: .all,
            feeds: contributions,
            after: loaded,
            now: now
        )
    }
}
