package import GatePolicy
package import GateSystem

/// The context of a fetch.
package struct FeedContext: Sendable {
    /// The ID of the feed.
    package let feed: String
    package let fetcher: Fetcher
    /// The last applied value.
    package let last: FeedValue?
    package let now: @Sendable () -> Timestamp

    package init(
        feed: String,
        fetcher: Fetcher,
        last: FeedValue?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.feed = feed
        self.fetcher = fetcher
        self.last = last
        self.now = now
    }
}
