private import FoundationEssentials

/// A signed JSON Web Token in compact serialization (RFC 7519 section 3.1) that authenticates the
/// gate.
package struct SignedToken {
    package let text: String

    private struct Header: Encodable {
        let alg: String
        let typ = "JWT"
        let kid: String?
    }

    /// Signs claims; `id` is the token's `kid`.
    ///
    /// - Returns: `nil` if the key cannot sign.
    package init?(_ claims: some Encodable, by key: SigningKey, id: String?) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let header = Header(alg: key.algorithm.rawValue, kid: id)
        guard let head = try? encoder.encode(header), let body = try? encoder.encode(claims) else {
            return nil
        }
        let signed = "\(Base64URL.text(Array(head))).\(Base64URL.text(Array(body)))"
        guard let signature = key.signature(of: Array(signed.utf8)) else { return nil }
        self.text = "\(signed).\(Base64URL.text(signature))"
    }
}

/// base64url encoding without padding (RFC 4648 section 5).
package enum Base64URL {
    package static func text(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            }
        )
    }

    /// Decodes a string.
    ///
    /// - Returns: `nil` if the string is invalid.
    package static func bytes(_ text: Substring) -> [UInt8]? {
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        return Data(base64Encoded: standard + padding).map(Array.init)
    }
}
