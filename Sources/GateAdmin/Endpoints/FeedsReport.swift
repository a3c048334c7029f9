private import FoundationEssentials
internal import GateControl
internal import GatePolicy
internal import GateRecords

/// How the rules and their feeds are doing, as `/feeds` shows it.
struct FeedsReport: Encodable {
    struct Feed: Encodable {
        let id: String
        let kind: String
        let source: String
        let state: String
        /// Seconds since the source last said something good.
        let ageSeconds: Int64?
        let confirmedAt: String?
        let changedAt: String?
        let askedAt: String?
        /// Not there while it is asked or listened to.
        let nextAt: String?
        let failures: Int
        let error: String?
        /// Notes on how the source was understood; absent if there are none.
        let notes: [String]?
        /// Names what the feed contributes.
        let revision: String?
        /// Whether that is in force: `enforce` or `observe`, as the mode of a rule; not there if it
        /// contributes nothing.
        let inForce: String?
        /// The path of its webhook.
        let webhook: String?
    }

    struct Log: Encodable {
        /// Lines that the log did not take since the start.
        let droppedLines: UInt64
    }

    let rules: RulesReport
    /// The folder of what outlives the process; not there without `--state-dir`.
    let state: StateReport?
    /// The breaker; not there without a census.
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
            // Clocks are set back now and then.
            ageSeconds: status.confirmedAt.map { max(0, now - $0) },
            confirmedAt: status.confirmedAt.map(Self.text),
            changedAt: status.changedAt.map(Self.text),
            askedAt: status.askedAt.map(Self.text),
            nextAt: status.nextAt.map(Self.text),
            failures: status.failures,
            error: status.lastError,
            notes: status.notes.isEmpty ? nil : status.notes,
            revision: status.revision,
            inForce: status.revision.map { _ in status.isObserved ? "observe" : "enforce" },
            webhook: status.hasWebhook ? AdminRoute.path(ofHook: status.id) : nil
        )
    }

    private static func text(_ time: Int64) -> String {
        "\(Timestamp(secondsSinceEpoch: time))"
    }
}
