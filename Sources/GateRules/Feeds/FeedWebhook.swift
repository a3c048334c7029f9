internal import GateCrypto

/// The signature verification for a source's webhooks.
package struct FeedWebhook: Sendable, Equatable {
    /// The format of a signature; the signed content and the algorithm are the same for all
    /// sources.
    package struct Form: Sendable, Equatable {
        /// The name of the header field with the signature.
        package let field: String
        /// The text before the digits.
        let prefix: String

        /// The format of GitHub, which scripts can use as well
        /// (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries).
        static let hub = Form(field: "X-Hub-Signature-256", prefix: "sha256=")
        /// The format of App Store Connect (API 4.0, "Configuring webhook notifications").
        package static let apple = Form(field: "X-Apple-Signature", prefix: "hmacsha256=")
        /// The format of microCMS (https://document.microcms.io/manual/webhook-setting).
        package static let microCMS = Form(field: "X-MICROCMS-Signature", prefix: "")
    }

    package let form: Form
    let secret: Secret

    /// Whether a signature is valid for a body: HMAC-SHA256 in lowercase hexadecimal, compared in
    /// constant time.
    ///
    /// - Throws: `FeedFailure` if the secret cannot be read.
    package func isSigned(_ body: [UInt8], by signature: String) throws(FeedFailure) -> Bool {
        let key = AuthenticationKey(try self.secret.read())
        guard signature.hasPrefix(self.form.prefix),
            let code = Self.bytes(
                fromHexadecimal: String(signature.dropFirst(self.form.prefix.count))
            )
        else { return false }
        return key.accepts(code, of: body)
    }

    private static func bytes(fromHexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard digits.count == text.utf8.count, digits.count == 2 * SHA256.byteCount else {
            return nil
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
