/// The protocol that is spoken to a backend.
package enum UpstreamProtocol: Hashable, Sendable {
    case http1
    /// By prior knowledge, or agreed upon in TLS and in nothing else (RFC 9113 3.3).
    case http2
    /// As the backend chooses in TLS (ALPN, RFC 7301).
    case negotiated

    /// The protocols that are offered in TLS, the best first.
    var names: [String] {
        switch self {
        case .http1: ["http/1.1"]
        case .http2: ["h2"]
        case .negotiated: ["h2", "http/1.1"]
        }
    }
}

/// The operator's word on the protocol.
package enum UpstreamProtocolChoice: String, Sendable {
    case auto
    case http1
    case http2
}
