/// How often a feed is asked, and what becomes of what it said when it falls silent.
struct FeedTiming: Sendable, Equatable {
    enum StalePolicy: String, Sendable, CaseIterable {
        /// What it said last holds on.
        case keep
        /// What it said last is only counted and logged.
        case observe
    }

    /// Seconds between two questions; for a stream, after it has ended in order.
    var every: Int64
    /// After how many seconds without a good answer it is stale; `nil`: never.
    var staleAfter: Int64?
    var whenStale: StalePolicy
}
