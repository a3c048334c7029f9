internal import GateCrypto
package import GatePolicy

/// Signs and verifies the header fields with which testers preview a decision.
///
/// A field is `KIND.SECOND.MAC`: the kind, the expiry as Unix time in seconds, and the HMAC-SHA-256
/// (RFC 2104) of both, keyed with the secret, in base64url without padding (RFC 4648 section 5).
package struct PreviewSeal: Sendable {
    package typealias Failure = SealKeys.Failure

    /// The maximum length of a field in bytes.
    private static let longest = 128
    private static let purpose = "versiongate preview 1 "

    private let keys: SealKeys

    /// Reads the secrets in a file.
    package init(path: String) throws(Failure) {
        self.keys = try SealKeys(path: path)
    }

    init(secrets: String) throws(Failure) {
        self.keys = try SealKeys(secrets: secrets)
    }

    /// Returns the value of the header field that requests a preview.
    package func field(for preview: Preview) -> String {
        let text = "\(preview.kind.rawValue).\(preview.until.secondsSinceEpoch)"
        return self.keys.signed(text, for: Self.purpose)
    }

    /// Verifies a field; the verification time reveals nothing about the expected signature.
    package func read(_ field: String, at now: Timestamp) -> PreviewReading {
        let parts = field.split(separator: ".", omittingEmptySubsequences: false)
        guard field.utf8.count <= Self.longest, parts.count == 3,
            let kind = Preview.Kind(rawValue: String(parts[0])),
            let second = Int64(parts[1]), let code = Base64URL.bytes(parts[2]),
            self.keys.key(of: code, on: "\(parts[0]).\(parts[1])", for: Self.purpose) != nil
        else { return .forged }
        let preview = Preview(kind: kind, until: Timestamp(secondsSinceEpoch: second))
        return now < preview.until ? .shows(preview) : .expired
    }
}
