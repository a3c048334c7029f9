private import CCrypto
import GatePolicy

/// The key of a WebSocket handshake (RFC 6455 section 4.1): 16 random bytes.
package struct WebSocketKey: Equatable, Sendable {
    private let high: UInt64
    private let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static func random() -> WebSocketKey {
        WebSocketKey(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
    }

    /// The value of `Sec-WebSocket-Key`.
    package var text: String {
        let bytes = [self.high, self.low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
        return Base64.unpadded(bytes) + "=="
    }

    /// The value of `Sec-WebSocket-Accept`, which proves that the server has read the key.
    ///
    /// See RFC 6455 section 4.2.2.
    package var accept: String {
        let text = Array((self.text + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        let hash = unsafe [UInt8](unsafeUninitializedCapacity: Self.hashCount) { buffer, count in
            let isHashed = unsafe EVP_Digest(
                text,
                text.count,
                buffer.baseAddress,
                nil,
                EVP_sha1(),
                nil
            )
            precondition(isHashed == 1, "libcrypto does not support SHA-1")
            count = Self.hashCount
        }
        return Base64.unpadded(hash) + "="
    }

    /// The size of a SHA-1 hash, in bytes.
    private static let hashCount = 20
}
