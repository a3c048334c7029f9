internal import GateCrypto
package import GatePolicy
internal import GateSystem

/// Signs and verifies the header fields that let testers preview a decision.
///
/// A field is `KIND.SECOND.MAC`: the kind, the expiry in seconds of Unix time, and the HMAC-SHA-256
/// (RFC 2104) of both with the secret, in base64url without padding (RFC 4648 section 5).
package struct PreviewSeal: Sendable {
    /// The reason why there is no secret.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The minimum length of a secret in bytes, and the maximum size of the file.
    private static let shortest = 16
    private static let largest = 64 << 10
    /// The maximum length of a field in bytes.
    private static let longest = 128
    /// A prefix of the signed text, so that a signature for another purpose is not valid for a
    /// preview.
    private static let purpose = "versiongate preview 1 "

    private let keys: [AuthenticationKey]

    /// Reads the secrets in a file, one per line.
    ///
    /// The first secret is used to sign, and all of them are accepted when verifying, so that
    /// secrets can be rotated.
    package init(path: String) throws(Failure) {
        let bytes: [UInt8]
        do throws(FileContent.Failure) {
            bytes = try FileContent(path: path, atMost: Self.largest).bytes
        } catch {
            throw Failure(description: "cannot be read")
        }
        try self.init(secrets: String(decoding: bytes, as: UTF8.self))
    }

    init(secrets: String) throws(Failure) {
        let lines = secrets.split(whereSeparator: \.isNewline).filter { line in
            !line.allSatisfy(\.isWhitespace)
        }
        guard !lines.isEmpty, lines.allSatisfy({ $0.utf8.count >= Self.shortest }) else {
            let reason =
                "expected lines of at least \(Self.shortest) characters, as from: openssl rand -hex 32"
            throw Failure(description: reason)
        }
        self.keys = lines.map { AuthenticationKey(String($0)) }
    }

    /// Returns the value of the header field for a preview.
    package func field(for preview: Preview) -> String {
        let text = "\(preview.kind.rawValue).\(preview.until.secondsSinceEpoch)"
        let code = self.keys[0].code(of: Self.signed(text))
        return "\(text).\(Base64URL.text(code))"
    }

    /// Verifies a field; the time that this takes reveals nothing about the expected signature.
    package func read(_ field: String, at now: Timestamp) -> PreviewReading {
        let parts = field.split(separator: ".", omittingEmptySubsequences: false)
        guard field.utf8.count <= Self.longest, parts.count == 3,
            let kind = Preview.Kind(rawValue: String(parts[0])),
            let second = Int64(parts[1]), let code = Base64URL.bytes(parts[2])
        else { return .forged }
        let text = Self.signed("\(parts[0]).\(parts[1])")
        let isOurs = self.keys.contains { $0.accepts(code, of: text) }
        guard isOurs else { return .forged }
        let preview = Preview(kind: kind, until: Timestamp(secondsSinceEpoch: second))
        return now < preview.until ? .shows(preview) : .expired
    }

    private static func signed(_ text: String) -> [UInt8] { Array((self.purpose + text).utf8) }
}
