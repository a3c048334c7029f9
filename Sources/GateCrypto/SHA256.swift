private import CCrypto

/// An incremental SHA-256 hash (FIPS 180-4).
///
/// Copies are independent of each other.
package struct SHA256: Sendable {
    /// The size of a digest in bytes.
    package static let byteCount = 32

    /// The state in libcrypto; modified only while it is uniquely referenced.
    @safe
    private final class Context: @unchecked Sendable {
        private let pointer: OpaquePointer

        /// - Precondition: Memory is available, and libcrypto supports SHA-256.
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

    /// Adds bytes to the hash.
    package mutating func update(_ bytes: [UInt8]) {
        if !isKnownUniquelyReferenced(&self.context) {
            self.context = Context(copying: self.context)
        }
        self.context.update(bytes)
    }

    /// The digest of all bytes added so far; more bytes can be added afterwards.
    package var digest: [UInt8] { Context(copying: self.context).finalize() }
}

extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal, two digits per byte.
    package var hexadecimal: String {
        self.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
