/// The files of a TLS listener.
package struct TLSFiles: Equatable, Sendable {
    /// A certificate and its key, both in PEM form.
    package struct Pair: Equatable, Sendable {
        /// The certificate, and behind it those that lead to the authority.
        package var certificates: String
        package var key: String

        package init(certificates: String, key: String) {
            self.certificates = certificates
            self.key = key
        }
    }

    /// Shown where the client names no server, or one that no certificate is for.
    package var first: Pair
    /// Further pairs, chosen by the name that the client asks for.
    package var others: [Pair]
    /// Authorities one of which must have signed the client's certificate; `nil`: none is asked for.
    package var clientAuthorities: String?

    package init(first: Pair, others: [Pair] = [], clientAuthorities: String? = nil) {
        self.first = first
        self.others = others
        self.clientAuthorities = clientAuthorities
    }

    /// Every file that is read.
    package var paths: [String] {
        ([self.first] + self.others).flatMap { [$0.certificates, $0.key] }
            + (self.clientAuthorities.map { [$0] } ?? [])
    }
}

/// Why a file of a TLS listener cannot be used.
package struct TLSFileError: Error, Equatable, CustomStringConvertible {
    package let file: String
    package let reason: String

    package init(file: String, reason: String) {
        self.file = file
        self.reason = reason
    }

    package var description: String { "\(self.file): \(self.reason)" }
}
