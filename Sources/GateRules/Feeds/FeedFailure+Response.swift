package import GateSystem

extension FeedFailure {
    /// Creates the failure for a response with an unexpected status.
    package static func status(_ head: ResponseHead, detail: String? = nil) -> FeedFailure {
        FeedFailure(.status(head.status, detail: detail), retryAfter: RetryAfter(head)?.seconds)
    }
}
