/// The hash function SipHash-2-4 with a 64-bit result and a secret key.
///
/// Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012). Without the key, a sketch does
/// not reveal whether it contains a known device.
package struct SipHash: Sendable, Equatable {
    /// The length of a key, in bytes.
    package static let keyLength = 16

    private let first: UInt64
    private let second: UInt64

    /// Creates the hash function for a key of 16 bytes; returns `nil` for any other length.
    package init?(key: [UInt8]) {
        guard key.count == Self.keyLength else { return nil }
        (self.first, self.second) = unsafe key.withUnsafeBytes { bytes in
            unsafe (Self.word(bytes, at: 0), Self.word(bytes, at: 8))
        }
    }

    /// Returns the hash of `bytes`.
    package func hash(_ bytes: Span<UInt8>) -> UInt64 {
        unsafe bytes.withUnsafeBytes { bytes in
            var state = State(self.first, self.second)
            let count = bytes.count
            var index = 0
            while index &+ 8 <= count {
                state.compress(unsafe Self.word(bytes, at: index))
                index &+= 8
            }
            var rest: UInt64 = 0
            if count >= 8, index < count {
                // The last bytes are read together with bytes that were already processed, which
                // are then shifted out.
                let shift = UInt64(8 &- (count &- index)) &* 8
                rest = unsafe Self.word(bytes, at: count &- 8) &>> shift
            } else {
                while index < count {
                    unsafe rest |= UInt64(bytes[index]) &<< UInt64((index & 7) &* 8)
                    index &+= 1
                }
            }
            state.compress(rest | UInt64(truncatingIfNeeded: count) &<< 56)
            return state.finish()
        }
    }

    /// Returns the number in eight bytes, in little-endian order.
    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }

    private struct State {
        private var v0: UInt64
        private var v1: UInt64
        private var v2: UInt64
        private var v3: UInt64

        init(_ first: UInt64, _ second: UInt64) {
            self.v0 = first ^ 0x736F_6D65_7073_6575
            self.v1 = second ^ 0x646F_7261_6E64_6F6D
            self.v2 = first ^ 0x6C79_6765_6E65_7261
            self.v3 = second ^ 0x7465_6462_7974_6573
        }

        @inline(__always)
        mutating func compress(_ word: UInt64) {
            self.v3 ^= word
            self.round()
            self.round()
            self.v0 ^= word
        }

        @inline(__always)
        mutating func finish() -> UInt64 {
            self.v2 ^= 0xFF
            for _ in 0..<4 { self.round() }
            return self.v0 ^ self.v1 ^ self.v2 ^ self.v3
        }

        @inline(__always)
        private mutating func round() {
            self.v0 &+= self.v1
            self.v1 = Self.rotate(self.v1, 13) ^ self.v0
            self.v0 = Self.rotate(self.v0, 32)
            self.v2 &+= self.v3
            self.v3 = Self.rotate(self.v3, 16) ^ self.v2
            self.v0 &+= self.v3
            self.v3 = Self.rotate(self.v3, 21) ^ self.v0
            self.v2 &+= self.v1
            self.v1 = Self.rotate(self.v1, 17) ^ self.v2
            self.v2 = Self.rotate(self.v2, 32)
        }

        @inline(__always)
        private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
            word &<< count | word &>> (64 &- count)
        }
    }
}
