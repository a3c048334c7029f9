/// An external source of rules or release facts, as defined in the rules file.
package struct FeedDefinition: Sendable {
    package let id: String
    /// The value of `source` in the rules file.
    package let kind: String
    let place: Place
    package let timing: FeedTiming
    package let source: any FeedSource
    /// The webhook by which the source notifies the gate of changes, if any.
    package let webhook: FeedWebhook?
    /// Identifies the fetched data: values with a different fingerprint belong to a different
    /// source.
    package let fingerprint: String
    /// The findings that the entry accepts in the feed's values.
    let accepted: [Located<FindingName>]

    /// The kind and location of the source, without secrets.
    package var summary: String { self.source.summary }
    /// Whether the feed generates rules from other data.
    package var makesRules: Bool {
        if case .rules = self.source.subject { true } else { false }
    }
    /// Whether the source can notify the gate of changes.
    package var hasWebhook: Bool { self.webhook != nil }
}

extension FeedDefinition: Equatable {
    /// Whether both feeds fetch the same data in the same way, regardless of their location in the
    /// file.
    package static func == (left: FeedDefinition, right: FeedDefinition) -> Bool {
        (left.id, left.fingerprint, left.timing) == (right.id, right.fingerprint, right.timing)
            && left.webhook == right.webhook
            && left.accepted.map(\.value) == right.accepted.map(\.value)
    }
}

/// The polling interval of a feed, and the policy for stale values.
package struct FeedTiming: Sendable, Equatable {
    package enum StalePolicy: String, Sendable, CaseIterable {
        /// The last value stays active.
        case keep
        /// The rules of the last value are in observe mode: their decisions are only counted and logged.
        case observe
    }

    /// The polling interval in seconds; for a stream, the delay before reconnecting after it ends
    /// normally.
    package var every: Int64
    /// The time in seconds after which an unconfirmed value is stale; `nil` if values never become stale.
    package var staleAfter: Int64?
    package var whenStale: StalePolicy
}
