/// Something that goes wrong at a source; `Tests/FeedServers/README.md` has the kinds.
///
/// A member that is `nil` is as the kind has it by default.
package struct FeedFault: Sendable, Encodable {
    package var kind: String
    /// For how many requests; `nil`: until it is taken away.
    package var times: Int?
    /// Only for requests whose path begins so.
    package var path: String?
    /// The status, of `status` and of the redirects.
    package var code: Int?
    /// Seconds, `date+SECONDS` for an HTTP date, or nonsense as it is.
    package var retryAfter: String?
    /// `request`, `head` or `body`: how far `reset` and `stalled` get.
    package var after: String?
    /// `length`, `chunked`, `counted` or `head`, where the kind knows it.
    package var framing: String?
    /// Of `bad-gzip`: `garbage`, `cut`, `checksum` or `plain`.
    package var form: String?
    /// The place that a redirect leads to.
    package var to: String?
    /// Seconds between two bytes of `slow`.
    package var interval: Double?

    package init(
        _ kind: String,
        times: Int? = nil,
        path: String? = nil,
        code: Int? = nil,
        retryAfter: String? = nil,
        after: String? = nil,
        framing: String? = nil,
        form: String? = nil,
        to: String? = nil,
        interval: Double? = nil
    ) {
        self.kind = kind
        self.times = times
        self.path = path
        self.code = code
        self.retryAfter = retryAfter
        self.after = after
        self.framing = framing
        self.form = form
        self.to = to
        self.interval = interval
    }
}
