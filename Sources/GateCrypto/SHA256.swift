private import CCrypto

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
///
/// A copy goes on by itself.
package struct SHA256: Sendable {
    /// Bytes of a hash.
    package static let byteCount = 32

    /// libcrypto's state; changed only while nobody else holds it.
    @safe
    private final class Context: @unchecked Sendable {
        private let pointer: OpaquePointer

        /// - Precondition: There is memory, and libcrypto knows SHA-256.
        init() {
            guard let pointer = unsafe EVP_MD_CTX_new(),
                unsafe EVP_DigestInit_ex(pointer, EVP_sha256(), nil) == 1
            else { preconditionFailure("libcrypto has no SHA-256") }
            unsafe self.pointer = pointer
        }

        convenience init(copying other: Context) {
            self.init()
            let isCopied = unsafe EVP_MD_CTX_copy_ex(self.pointer, other.pointer) == 1
            precondition(isCopied, "libcrypto has no memory")
        }

        deinit {
            unsafe EVP_MD_CTX_free(self.pointer)
        }

        func update(_ bytes: [UInt8]) {
            _ = unsafe EVP_DigestUpdate(self.pointer, bytes, bytes.count)
        }

        func finalize() -> [UInt8] {
            unsafe [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { buffer, count in
                _ = unsafe EVP_DigestFinal_ex(self.pointer, buffer.baseAddress, nil)
                count = SHA256.byteCount
            }
        }
    }

    private var context = Context()

    package init() {}

    /// Adds bytes to those that are hashed.
    package mutating func update(_ bytes: [UInt8]) {
        if !isKnownUniquelyReferenced(&self.context) {
            self.context = Context(copying: self.context)
        }
        self.context.update(bytes)
    }

    /// The hash of all bytes so far; more can be added afterwards.
    package var digest: [UInt8] { Context(copying: self.context).finalize() }
}

extension Sequence<UInt8> {
    /// Two digits for each byte, in lower case.
    package var hexadecimal: String {
        self.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
