/// The kind of peers that connect to a listener.
enum PeerKind: Sendable {
    /// `isSecure`: whether they use TLS.
    case clients(isSecure: Bool)
    /// Gateways that ask for decisions.
    case gateways
}
