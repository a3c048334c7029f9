package import GatePolicy
package import GateSystem

/// The fetcher and the data that a source needs for a fetch.
package struct FeedContext: Sendable {
    /// The ID of the feed.
    package let feed: String
    package let fetcher: Fetcher
    /// The feed's last applied value; `nil` if there is none.
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
