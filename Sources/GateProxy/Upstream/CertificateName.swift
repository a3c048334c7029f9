/// A DNS name as it stands in a certificate, which may begin with a label of `*`.
struct CertificateName {
    private let labels: [Substring]

    init(_ text: String) {
        self.labels = Self.labels(of: text)
    }

    /// Whether a host may call itself by this name (RFC 9525 6.3).
    func covers(_ host: String) -> Bool {
        let wanted = Self.labels(of: host.hasSuffix(".") ? String(host.dropLast()) : host)
        guard wanted.count == self.labels.count, !wanted.contains("") else { return false }
        // A star stands for one whole label, the first, and never for a whole domain.
        guard self.labels.first == "*", wanted.count > 2 else { return wanted == self.labels }
        return wanted.dropFirst() == self.labels.dropFirst()
    }

    private static func labels(of text: String) -> [Substring] {
        text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    }
}
