/// The kinds of opened connections to the backend.
enum UpstreamLink {
    /// HTTP/1.1: for one exchange at a time.
    case exclusive(UpstreamConnection)
    /// HTTP/2: for many.
    case shared(UpstreamHTTP2Connection)
}

@available(*, unavailable)
extension UpstreamLink: Sendable {}
