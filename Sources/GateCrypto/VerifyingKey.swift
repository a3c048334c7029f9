private import CCrypto

/// An Ed25519 public key (RFC 8032) that verifies signatures.
package struct VerifyingKey: Sendable, Equatable {
    private let bytes: [UInt8]

    /// Creates a key from its raw bytes.
    ///
    /// - Returns: `nil` unless there are 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    package func accepts(_ signature: [UInt8], of text: [UInt8]) -> Bool {
        // Removes errors from the thread's error queue, where later calls would find them.
        defer { ERR_clear_error() }
        guard
            let key = unsafe EVP_PKEY_new_raw_public_key(
                EVP_PKEY_ED25519,
                nil,
                self.bytes,
                self.bytes.count
            )
        else { return false }
        defer { unsafe EVP_PKEY_free(key) }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
        return unsafe EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
    }
}
