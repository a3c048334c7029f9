/// A fault of a source.
///
/// `Tests/FeedServers/README.md` lists the kinds.
///
/// For a member that is `nil`, the kind's default applies.
package struct FeedFault: Sendable, Encodable {
    package var kind: String
    /// The number of affected requests; if it is `nil`, requests are affected until the fault is removed.
    package var times: Int?
    /// The path prefix of the affected requests.
    package var path: String?
    /// The status of `status` and of the redirects.
    package var code: Int?
    /// Seconds, `date+SECONDS` for an HTTP date, or any invalid text.
    package var retryAfter: String?
    /// `request`, `head` or `body`: the point at which `reset` and `stalled` stop.
    package var after: String?
    /// `length`, `chunked`, `counted` or `head`, if the kind supports it.
    package var framing: String?
    /// The form of `bad-gzip`: `garbage`, `cut`, `checksum` or `plain`.
    package var form: String?
    /// The target of a redirect.
    package var to: String?
    /// The seconds between two bytes of `slow`.
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
