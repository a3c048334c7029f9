private import CCrypto

/// A private key that signs tokens with RS256 or ES256 (RFC 7518 section 3.1), depending on its
/// type.
@safe
package final class SigningKey: @unchecked Sendable {
    /// The signature algorithms; the raw values are `alg` header values.
    package enum Algorithm: String {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    let algorithm: Algorithm
    /// The key is immutable after parsing; libcrypto allows concurrent use of such keys.
    private let pointer: OpaquePointer

    /// Parses a key in PEM format (RFC 7468), as PKCS #8 or in the format specific to its type.
    ///
    /// - Returns: `nil` if the string is not a key for the algorithm, or if the key is encrypted.
    package init?(pem text: String, for algorithm: Algorithm) {
        // Removes errors from the thread's error queue, where later calls would find them.
        defer { ERR_clear_error() }
        guard let pointer = unsafe Self.read(text) else { return nil }
        guard unsafe Self.fits(pointer, algorithm) else {
            unsafe EVP_PKEY_free(pointer)
            return nil
        }
        self.algorithm = algorithm
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(self.pointer)
    }

    private static func read(_ text: String) -> OpaquePointer? {
        let bytes = Array(text.utf8)
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else {
                return nil
            }
            defer { unsafe BIO_free(input) }
            // Without a callback, libcrypto would prompt for the password of an encrypted key.
            return unsafe PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in -1 }, nil)
        }
    }

    private static func fits(_ key: OpaquePointer, _ algorithm: Algorithm) -> Bool {
        switch algorithm {
        case .rs256:
            return unsafe EVP_PKEY_is_a(key, "RSA") == 1
        case .es256:
            var name = [CChar](repeating: 0, count: 64)
            guard unsafe EVP_PKEY_is_a(key, "EC") == 1,
                unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1
            else { return false }
            return name.prefix { $0 != 0 }.elementsEqual("prime256v1".utf8.map(CChar.init))
        }
    }

    /// Returns the signature of a message, in the format that tokens use; `nil` if the key cannot
    /// sign.
    func signature(of text: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let context = unsafe EVP_MD_CTX_new() else { return nil }
        defer { unsafe EVP_MD_CTX_free(context) }
        var size = 0
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, self.pointer) == 1,
            unsafe EVP_DigestSign(context, nil, &size, text, text.count) == 1
        else { return nil }
        var signature = [UInt8](repeating: 0, count: size)
        guard unsafe EVP_DigestSign(context, &signature, &size, text, text.count) == 1 else {
            return nil
        }
        signature.removeLast(signature.count - size)
        return self.algorithm == .rs256 ? signature : Self.joined(signature)
    }

    /// Converts a P-256 signature from DER to two numbers of 32 bytes each (RFC 7518 section 3.4).
    private static func joined(_ signature: [UInt8]) -> [UInt8]? {
        unsafe signature.withUnsafeBufferPointer { signature in
            var start = signature.baseAddress
            guard let pair = unsafe d2i_ECDSA_SIG(nil, &start, signature.count) else { return nil }
            defer { unsafe ECDSA_SIG_free(pair) }
            guard let r = unsafe Self.bytes(of: ECDSA_SIG_get0_r(pair)),
                let s = unsafe Self.bytes(of: ECDSA_SIG_get0_s(pair))
            else { return nil }
            return r + s
        }
    }

    private static func bytes(of number: OpaquePointer?) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = unsafe BN_bn2binpad(number, &bytes, Int32(bytes.count))
        return Int(count) == bytes.count ? bytes : nil
    }
}

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
