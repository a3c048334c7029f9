internal import GateControl
internal import GatePolicy
internal import GateRecords

/// The state of the rules and their feeds, as returned by `/feeds`.
struct FeedsReport: Encodable {
    struct Feed: Encodable {
        let id: String
        let kind: String
        let source: String
        let state: String
        /// Seconds since the source last returned valid data.
        let ageSeconds: Int64?
        let confirmedAt: Timestamp?
        let changedAt: Timestamp?
        let askedAt: Timestamp?
        /// The time of the next poll; `nil` during a poll or while a stream is open.
        let nextAt: Timestamp?
        let failures: Int
        let error: String?
        /// Notes on how the source's data was interpreted; `nil` if there are none.
        let notes: [String]?
        /// The revision of the data that the feed contributes.
        let revision: String?
        /// The mode in which the data is active: `enforce` or `observe`; `nil` if the feed
        /// contributes nothing.
        let inForce: String?
        /// The path of the webhook for the feed.
        let webhook: String?
    }

    struct Log: Encodable {
        /// The number of log lines dropped since startup.
        let droppedLines: UInt64
    }

    let rules: RulesReport
    /// The state folder; `nil` without `--state-dir`.
    let state: StateReport?
    /// The state of the circuit breaker; `nil` without a census.
    let breaker: BreakerReport?
    let log: Log
    let feeds: [Feed]

    init(
        _ reload: ReloadStatus,
        _ feeds: [FeedStatus],
        _ lastGood: LastGoodRules?,
        _ breaker: Breaker.Status? = nil,
        droppedLogLines: UInt64,
        now: Timestamp
    ) {
        self.rules = RulesReport(reload)
        self.state = lastGood.map { StateReport($0) }
        self.breaker = breaker.map { BreakerReport($0) }
        self.log = Log(droppedLines: droppedLogLines)
        self.feeds = feeds.map { Self.feed($0, now: now.secondsSinceEpoch) }
    }

    private static func feed(_ status: FeedStatus, now: Int64) -> Feed {
        Feed(
            id: status.id,
            kind: status.kind,
            source: status.source,
            state: status.state.rawValue,
            // The clock may have been set back.
            ageSeconds: status.confirmedAt.map { max(0, now - $0) },
            confirmedAt: status.confirmedAt.map(Timestamp.init(secondsSinceEpoch:)),
            changedAt: status.changedAt.map(Timestamp.init(secondsSinceEpoch:)),
            askedAt: status.askedAt.map(Timestamp.init(secondsSinceEpoch:)),
            nextAt: status.nextAt.map(Timestamp.init(secondsSinceEpoch:)),
            failures: status.failures,
            error: status.lastError,
            notes: status.notes.isEmpty ? nil : status.notes,
            revision: status.revision,
            inForce: status.revision.map { _ in status.isObserved ? "observe" : "enforce" },
            webhook: status.hasWebhook ? AdminRoute.path(ofHook: status.id) : nil
        )
    }
}
