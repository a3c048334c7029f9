internal import GateCrypto
package import GatePolicy
internal import GateSystem

/// Signs the fields by which testers ask for a decision, and knows its own.
///
/// A field is `KIND.SECOND.MAC`: the second of Unix time at which it is over, and HMAC-SHA-256 (RFC 2104) of
/// all before it under the secret, in the digits of base64url without padding (RFC 4648 section 5).
package struct PreviewSeal: Sendable {
    /// The reason for which there is no secret.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Bytes of a secret at the least, and of a file with all of them.
    private static let shortest = 16
    private static let largest = 64 << 10
    /// Bytes of a field that is looked at.
    private static let longest = 128
    /// A signature of something else under the same secret is none of a preview.
    private static let purpose = "versiongate preview 1 "

    private let keys: [AuthenticationKey]

    /// Reads the secrets of a file, one a line: the first signs, and all are believed, so that one can replace
    /// another.
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
                "expected lines of \(Self.shortest) characters at the least, as of: openssl rand -hex 32"
            throw Failure(description: reason)
        }
        self.keys = lines.map { AuthenticationKey(String($0)) }
    }

    /// The value of the field for a preview.
    package func field(for preview: Preview) -> String {
        let text = "\(preview.kind.rawValue).\(preview.until.secondsSinceEpoch)"
        let code = self.keys[0].code(of: Self.signed(text))
        return "\(text).\(Base64URL.text(code))"
    }

    /// Reads a field; how long that takes tells nothing of how much of a signature was right.
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
