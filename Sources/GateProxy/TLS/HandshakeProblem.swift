internal import NIOSSL

/// The reason why a TLS handshake failed, with a hint on how to fix the problem.
///
/// The reason is derived from the reason code in the TLS library's error. The library also reports
/// a number and a source location, which are of no use to operators.
struct HandshakeProblem: Equatable, Hashable {
    /// The other side of the handshake.
    enum Peer {
        case client
        case backend
    }

    let description: String
    /// Whether the operator can fix the problem; other problems are not logged.
    let isActionable: Bool

    private init(_ description: String, isActionable: Bool = true) {
        self.description = description
        self.isActionable = isActionable
    }

    /// Creates a problem from an error, or returns `nil` if the error is not a handshake failure.
    init?(_ error: any Error, with peer: Peer) {
        guard case .handshakeFailed? = error as? NIOSSLError else { return nil }
        self.init(names: Self.names(in: "\(error)"), with: peer)
    }

    /// Creates a problem from the TLS library's reason codes, such as `HTTP_REQUEST`.
    init(names: [String], with peer: Peer) {
        let known = names.lazy.compactMap { Self.words(for: $0, peer) }.first
        if let known {
            self.init(known)
        } else {
            let name = names.first.map { " (\($0))" } ?? ""
            self.init("the TLS handshake failed\(name)", isActionable: peer == .backend)
        }
    }

    /// Returns the reason codes in an error message of the TLS library.
    ///
    /// Each code follows the name of an internal function: `…:SSL routines:OPENSSL_internal:HTTP_REQUEST at …`.
    static func names(in text: String) -> [String] {
        text.split(separator: "OPENSSL_internal:").dropFirst().map { part in
            String(part.prefix { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") })
        }
    }

    private static func words(for name: String, _ peer: Peer) -> String? {
        switch (peer, name) {
        case (.client, "HTTP_REQUEST"), (.client, "HTTPS_PROXY_REQUEST"):
            "a client is using plain HTTP where TLS is expected: its URL must start with https://"
        case (.client, "PEER_DID_NOT_RETURN_A_CERTIFICATE"):
            "a client sent no certificate, but --tls-client-ca requires one"
        case (.client, "CERTIFICATE_VERIFY_FAILED"):
            "a client's certificate is not signed by a CA in --tls-client-ca, or has expired"
        case (.client, "SSLV3_ALERT_CERTIFICATE_EXPIRED"):
            """
            a client rejected the gate's certificate, which has expired: renew the certificate in \
            --tls-certificate
            """
        case (.client, "TLSV1_ALERT_UNKNOWN_CA"), (.client, "SSLV3_ALERT_CERTIFICATE_UNKNOWN"),
            (.client, "SSLV3_ALERT_BAD_CERTIFICATE"):
            """
            a client does not trust the gate's certificate: --tls-certificate must contain the \
            whole chain, up to a CA that the client trusts
            """
        case (.client, "UNSUPPORTED_PROTOCOL"), (.client, "NO_SHARED_CIPHER"):
            "a client does not support TLS 1.2 or later"
        case (.backend, "CERTIFICATE_VERIFY_FAILED"):
            """
            the backend's certificate is not trusted: it is self-signed, expired, or not signed by \
            a CA that the system trusts; set --upstream-ca FILE to trust another CA
            """
        case (.backend, "WRONG_VERSION_NUMBER"), (.backend, "HTTP_REQUEST"):
            "the backend port does not use TLS: write http:// in --upstream, or use a port with TLS"
        case (.backend, "TLSV1_ALERT_UNKNOWN_CA"), (.backend, "TLSV13_ALERT_CERTIFICATE_REQUIRED"),
            (.backend, "SSLV3_ALERT_HANDSHAKE_FAILURE"):
            "the backend rejected the handshake: it may require a client certificate (not supported)"
        default: nil
        }
    }
}
