/// The files of a TLS listener.
package struct TLSFiles: Equatable, Sendable {
    /// The files of a certificate and its key, both in PEM format.
    package struct Pair: Equatable, Sendable {
        /// The path of the file with the leaf certificate, followed by the intermediate certificates.
        package var certificates: String
        package var key: String

        package init(certificates: String, key: String) {
            self.certificates = certificates
            self.key = key
        }
    }

    /// The certificate for clients that send no server name, or a name that no certificate matches.
    package var first: Pair
    /// Additional certificates, selected by the server name that the client sends.
    package var others: [Pair]
    /// The path of the file with the CA certificates that client certificates are verified against.
    ///
    /// `nil` if clients need no certificate.
    package var clientAuthorities: String?

    package init(first: Pair, others: [Pair] = [], clientAuthorities: String? = nil) {
        self.first = first
        self.others = others
        self.clientAuthorities = clientAuthorities
    }

    package var paths: [String] {
        ([self.first] + self.others).flatMap { [$0.certificates, $0.key] }
            + (self.clientAuthorities.map { [$0] } ?? [])
    }
}

/// The reason why a file of a TLS listener cannot be used.
package struct TLSFileError: Error, Equatable, CustomStringConvertible {
    package let file: String
    package let reason: String

    package var description: String { "\(self.file): \(self.reason)" }
}
