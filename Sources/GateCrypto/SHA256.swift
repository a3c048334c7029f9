/// An incremental SHA-256 hash (FIPS 180-4).
///
/// The implementation is in Swift because the module for Envoy must not link libcrypto: Envoy
/// contains BoringSSL, whose functions have the same names. Copies are independent of each other.
package struct SHA256: Sendable {
    /// The size of a digest in bytes.
    package static let byteCount = 32

    private static let blockCount = 64
    /// The number of bytes at the end of the last block that hold the length of the message.
    private static let lengthCount = 8

    /// The intermediate hash value (section 5.3.3).
    private var state: [UInt32] = [
        0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
        0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
    ]
    /// The bytes of an incomplete block.
    private var rest: [UInt8] = []
    /// The number of bytes added so far.
    private var count: UInt64 = 0

    package init() {}

    /// Adds bytes to the hash.
    package mutating func update(_ bytes: [UInt8]) {
        self.count += UInt64(bytes.count)
        var start = 0
        if !self.rest.isEmpty {
            start = min(Self.blockCount - self.rest.count, bytes.count)
            self.rest += bytes[..<start]
            guard self.rest.count == Self.blockCount else { return }
            let block = self.rest
            Self.mix(block.span, from: 0, into: &self.state)
            self.rest = []
        }
        while bytes.count - start >= Self.blockCount {
            Self.mix(bytes.span, from: start, into: &self.state)
            start += Self.blockCount
        }
        self.rest += bytes[start...]
    }

    /// The digest of all bytes added so far; more bytes can be added afterwards.
    package var digest: [UInt8] {
        var whole = self
        let length = self.count &* 8
        // The padding (section 5.1.1).
        let used = (self.rest.count + 1 + Self.lengthCount) % Self.blockCount
        let zeros = used == 0 ? 0 : Self.blockCount - used
        whole.update([0x80] + [UInt8](repeating: 0, count: zeros))
        whole.update((0..<8).map { UInt8(truncatingIfNeeded: length >> UInt64(56 - 8 * $0)) })
        return whole.state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        }
    }

    /// Adds a block to the state (section 6.2.2).
    private static func mix(_ bytes: Span<UInt8>, from start: Int, into state: inout [UInt32]) {
        var schedule = [64 of UInt32](repeating: 0)
        for index in 0..<16 {
            let place = start + 4 * index
            schedule[index] =
                UInt32(bytes[place]) << 24 | UInt32(bytes[place + 1]) << 16
                | UInt32(bytes[place + 2]) << 8 | UInt32(bytes[place + 3])
        }
        for index in 16..<64 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let first = self.turned(early, 7) ^ self.turned(early, 18) ^ early >> 3
            let second = self.turned(late, 17) ^ self.turned(late, 19) ^ late >> 10
            schedule[index] = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let high = self.turned(e, 6) ^ self.turned(e, 11) ^ self.turned(e, 25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ high &+ choice &+ self.constants[index] &+ schedule[index]
            let low = self.turned(a, 2) ^ self.turned(a, 13) ^ self.turned(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ low &+ majority)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
    }

    private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).
    private static let constants: [64 of UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5,
        0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3,
        0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC,
        0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
        0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13,
        0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3,
        0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5,
        0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208,
        0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}

extension Sequence<UInt8> {
    /// The bytes in lowercase hexadecimal, two digits per byte.
    package var hexadecimal: String {
        self.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
