internal import NIOSSL

/// Why a TLS handshake failed, in words that say what to do.
///
/// The name of a TLS error: the library tells a number, a name and a place in its source, and only the
/// name helps.
struct HandshakeProblem: Equatable, Hashable {
    /// The other end of the handshake.
    enum Peer {
        case client
        case backend
    }

    let description: String
    /// Whether somebody on the gate's side can mend it, so that it belongs into the log.
    let isActionable: Bool

    private init(_ description: String, isActionable: Bool = true) {
        self.description = description
        self.isActionable = isActionable
    }

    /// `nil` for an error that is not the failure of a handshake.
    init?(_ error: any Error, with peer: Peer) {
        guard case .handshakeFailed? = error as? NIOSSLError else { return nil }
        self.init(names: Self.names(in: "\(error)"), with: peer)
    }

    /// `names` is what the library calls the reasons, such as `HTTP_REQUEST`.
    init(names: [String], with peer: Peer) {
        let known = names.lazy.compactMap { Self.words(for: $0, peer) }.first
        if let known {
            self.init(known)
        } else {
            let name = names.first.map { " (\($0))" } ?? ""
            self.init("the TLS handshake failed\(name)", isActionable: peer == .backend)
        }
    }

    /// The names of reasons in the text of an error, which has them behind the name of a function
    /// that nobody knows: `…:SSL routines:OPENSSL_internal:HTTP_REQUEST at …`.
    static func names(in text: String) -> [String] {
        text.split(separator: "OPENSSL_internal:").dropFirst().map { part in
            String(part.prefix { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") })
        }
    }

    private static func words(for name: String, _ peer: Peer) -> String? {
        switch (peer, name) {
        case (.client, "HTTP_REQUEST"), (.client, "HTTPS_PROXY_REQUEST"):
            "a client speaks plain HTTP where TLS is expected: its address must begin with https://"
        case (.client, "PEER_DID_NOT_RETURN_A_CERTIFICATE"):
            "a client has no certificate, and --tls-client-ca demands one"
        case (.client, "CERTIFICATE_VERIFY_FAILED"):
            "a client's certificate is not signed by any of --tls-client-ca, or has expired"
        case (.client, "SSLV3_ALERT_CERTIFICATE_EXPIRED"):
            "a client refuses the gate's certificate, which has expired: renew --tls-certificate"
        case (.client, "TLSV1_ALERT_UNKNOWN_CA"), (.client, "SSLV3_ALERT_CERTIFICATE_UNKNOWN"),
            (.client, "SSLV3_ALERT_BAD_CERTIFICATE"):
            """
            a client does not trust the gate's certificate: --tls-certificate needs the whole chain, \
            from an authority that the client knows
            """
        case (.client, "UNSUPPORTED_PROTOCOL"), (.client, "NO_SHARED_CIPHER"):
            "a client is too old for TLS 1.2"
        case (.backend, "CERTIFICATE_VERIFY_FAILED"):
            """
            the backend's certificate is not trusted: it is self-signed, expired, or not signed by \
            an authority that the system trusts; --upstream-ca FILE names another authority
            """
        case (.backend, "WRONG_VERSION_NUMBER"), (.backend, "HTTP_REQUEST"):
            "the backend does not speak TLS there: write http:// in --upstream, or name its TLS port"
        case (.backend, "TLSV1_ALERT_UNKNOWN_CA"), (.backend, "TLSV13_ALERT_CERTIFICATE_REQUIRED"),
            (.backend, "SSLV3_ALERT_HANDSHAKE_FAILURE"):
            "the backend refuses the handshake; it may want a certificate of the gate, which has none"
        default: nil
        }
    }
}
