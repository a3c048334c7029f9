internal import GateCrypto
internal import GateSystem

/// The secrets with which previews and passes are signed.
package struct SealKeys: Sendable {
    /// The reason why no secret is available.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The minimum length of a secret and the maximum size of the file, in bytes.
    private static let shortest = 16
    private static let largest = 64 << 10

    private let keys: [AuthenticationKey]

    /// Reads the secrets in a file, one per line.
    ///
    /// The first secret is used to sign, and all secrets are accepted for verification, so that
    /// secrets can be rotated.
    init(path: String) throws(Failure) {
        guard let bytes = try? FileContent(path: path, atMost: Self.largest).bytes else {
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
                "expected lines of at least \(Self.shortest) characters; create one with: openssl rand -hex 32"
            throw Failure(description: reason)
        }
        self.keys = lines.map { AuthenticationKey(String($0)) }
    }

    /// The key to sign with.
    var first: AuthenticationKey { self.keys[0] }

    /// Returns a text, followed by its signature.
    ///
    /// The signature covers the prefix `purpose`, so that a signature for one purpose is not valid
    /// for another.
    func signed(_ text: String, for purpose: String) -> String {
        let code = self.first.code(of: Array((purpose + text).utf8))
        return "\(text).\(Base64URL.text(code))"
    }

    /// Returns the key that a text was signed with; `nil` if it was signed with none of the keys.
    func key(of code: [UInt8], on text: String, for purpose: String) -> AuthenticationKey? {
        let signed = Array((purpose + text).utf8)
        return self.keys.first { $0.accepts(code, of: signed) }
    }
}
