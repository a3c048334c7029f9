private import CCrypto

/// A secret key for HMAC-SHA-256 message authentication codes (RFC 2104).
package struct AuthenticationKey: Sendable {
    private let bytes: [UInt8]

    package init(_ secret: String) {
        self.bytes = Array(secret.utf8)
    }

    /// Returns the 32-byte authentication code for a message.
    package func code(of text: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            var length: UInt32 = 0
            let code = unsafe HMAC(
                EVP_sha256(),
                self.bytes,
                Int32(self.bytes.count),
                text,
                text.count,
                buffer.baseAddress,
                &length
            )
            unsafe precondition(code != nil, "libcrypto has no HMAC")
            count = Int(length)
        }
    }

    /// Whether a code is valid for a message; the comparison takes constant time.
    package func accepts(_ code: [UInt8], of text: [UInt8]) -> Bool {
        let own = self.code(of: text)
        guard own.count == code.count else { return false }
        return unsafe CRYPTO_memcmp(own, code, own.count) == 0
    }
}
