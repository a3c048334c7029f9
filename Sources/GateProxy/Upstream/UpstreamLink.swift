/// What an opened connection to the backend turned out to be.
enum UpstreamLink {
    /// HTTP/1.1: for one exchange at a time.
    case exclusive(UpstreamConnection)
    /// HTTP/2: for many.
    case shared(UpstreamHTTP2Connection)
}

@available(*, unavailable)
extension UpstreamLink: Sendable {}
