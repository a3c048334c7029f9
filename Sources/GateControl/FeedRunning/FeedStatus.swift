internal import GateRules

/// How a feed is doing, for the log, the status page and the metrics.
package struct FeedStatus: Sendable, Equatable {
    /// How much what a feed says can be relied on.
    package enum State: String, Sendable, CaseIterable {
        /// It has said nothing yet.
        case waiting
        /// Its last answer was good.
        case fresh
        /// There is no good answer, or the last one was none.
        case failing
        /// It has had nothing good to say for longer than the rules file allows.
        case stale
    }

    package let id: String
    /// The word after `source` in the rules file.
    package let kind: String
    /// The kind and place of its source, without secrets.
    package let source: String
    /// Whether it is asked when a webhook comes.
    package let hasWebhook: Bool
    /// Names what it contributes; `nil` if nothing was ever taken.
    package internal(set) var revision: String?
    /// When it last said something good, seconds since 1970, changed or not.
    package internal(set) var confirmedAt: Int64?
    /// When what it contributes last changed, seconds since 1970.
    package internal(set) var changedAt: Int64?
    /// When the source was last asked, or a stream was opened, seconds since 1970.
    package internal(set) var askedAt: Int64?
    /// When it is asked next, seconds since 1970; `nil` while it is asked or listened to.
    package internal(set) var nextAt: Int64?
    /// Why there is no newer good answer; `nil` if the last one was good.
    package internal(set) var lastError: String?
    /// Notes for operators on how the feed's value was understood.
    package internal(set) var notes: [String] = []
    /// How many questions have failed in a row.
    package internal(set) var failures = 0
    /// Whether it has been silent for longer than the rules file allows.
    package internal(set) var isStale = false
    /// Whether its rules are only counted and logged for that reason.
    package internal(set) var isObserved = false

    init(_ feed: FeedDefinition) {
        self.id = feed.id
        self.kind = feed.kind
        self.source = feed.summary
        self.hasWebhook = feed.hasWebhook
    }

    package var state: State {
        if self.isStale { return .stale }
        if self.lastError != nil { return .failing }
        return self.confirmedAt == nil ? .waiting : .fresh
    }
}
