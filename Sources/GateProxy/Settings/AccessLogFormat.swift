/// How the lines of the access log look.
package enum AccessLogFormat: String, Sendable, CaseIterable {
    /// The Common Log Format, and the gate's own fields behind it.
    case common
    /// The same with `Referer` and `User-Agent`.
    case combined
    /// One JSON object for each line (RFC 8259).
    case json
}
