internal import GateCrypto

extension FeedWebhook {
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
