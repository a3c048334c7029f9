internal import GateRules
/// The status of a feed, for the log, the page and the metrics.
package struct FeedStatus: Sendable, Equatable {
    /// Whether a feed's value is up to date.
    package enum State: String, Sendable, CaseIterable {
        /// No value has been received yet.
        case waiting
        /// The last fetch succeeded.
        case fresh
        /// The last fetch failed, or the value was rejected.
        case failing
        /// The value has not been confirmed for `staleAfter`.
        case stale
    }

    package let id: String
    /// The kind of source: the value of `source` in the rules file.
    package let kind: String
    /// The kind and location of the source, without secrets.
    package let source: String
    /// Whether a webhook can trigger a fetch of the feed.
    package let hasWebhook: Bool
    /// The revision of the contribution; `nil` if no value has ever been applied.
    package internal(set) var revision: String?
    /// The time of the last confirmation, whether or not the value had changed, in seconds since
    /// 1970; `nil` if there was none.
    package internal(set) var confirmedAt: Int64?
    /// The time of the last change to the contribution, in seconds since 1970; `nil` if there was
    /// none.
    package internal(set) var changedAt: Int64?
    /// The start of the last fetch or stream, in seconds since 1970; `nil` before the first one.
    package internal(set) var askedAt: Int64?
    /// The time of the next fetch, in seconds since 1970; `nil` during a fetch or a stream.
    package internal(set) var nextAt: Int64?
    /// The reason why the last value was rejected; `nil` if it was not rejected.
    var rejection: String?
    /// The reason why the source, or a part of it, could not be fetched; `nil` if the last fetch succeeded.
    var failure: String?
    /// Notes for operators about the interpretation of the value.
    package internal(set) var notes: [String] = []
    /// The number of consecutive failures.
    package internal(set) var failures = 0
    /// Whether the last confirmation of the value is older than `staleAfter`.
    package internal(set) var isStale = false
    /// Whether the rules from the feed are in observe mode because the value is stale.
    package internal(set) var isObserved = false

    init(_ feed: FeedDefinition) {
        self.id = feed.id
        self.kind = feed.kind
        self.source = feed.summary
        self.hasWebhook = feed.hasWebhook
    }

    /// The reasons why the last value was rejected or not fetched; `nil` if there is no error.
    package var lastError: String? {
        // The rejection comes first, because it matters more than a part that could not be
        // fetched.
        let errors = [self.rejection, self.failure].compactMap(\.self)
        return errors.isEmpty ? nil : errors.joined(separator: "; ")
    }

    package var state: State {
        if self.isStale { return .stale }
        if self.lastError != nil { return .failing }
        return self.confirmedAt == nil ? .waiting : .fresh
    }
}
