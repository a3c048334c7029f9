/// An outside place that rules or release facts come from, as the rules file names it.
package struct FeedDefinition: Sendable {
    package let id: String
    /// The word after `source` in the rules file.
    package let kind: String
    let place: Place
    package let timing: FeedTiming
    package let source: any FeedSource
    /// How its source tells that there is something new, if it does.
    package let webhook: FeedWebhook?
    /// Stands for everything that says what is fetched: what came from another source is not what
    /// this one says.
    package let fingerprint: String
    /// The findings that the entry accepts in what the feed says.
    let accepted: [Located<FindingName>]

    /// The kind and place of its source, without secrets.
    package var summary: String { self.source.summary }
    /// Whether it makes rules of what its source says, which names no rules itself.
    package var makesRules: Bool {
        if case .rules = self.source.subject { true } else { false }
    }
    /// Whether its source can tell that there is something new.
    package var hasWebhook: Bool { self.webhook != nil }
}

extension FeedDefinition: Equatable {
    /// Whether both ask the same in the same way, wherever in the file they stand.
    package static func == (left: FeedDefinition, right: FeedDefinition) -> Bool {
        (left.id, left.fingerprint, left.timing) == (right.id, right.fingerprint, right.timing)
            && left.webhook == right.webhook
            && left.accepted.map(\.value) == right.accepted.map(\.value)
    }
}

/// How often a feed is asked, and what becomes of what it said when it falls silent.
package struct FeedTiming: Sendable, Equatable {
    package enum StalePolicy: String, Sendable, CaseIterable {
        /// Its last value holds on.
        case keep
        /// Its last value is only counted and logged.
        case observe
    }

    /// Seconds between two questions; for a stream, after it has ended in order.
    package var every: Int64
    /// After how many seconds without a good answer it is stale; `nil`: never.
    package var staleAfter: Int64?
    package var whenStale: StalePolicy
}
