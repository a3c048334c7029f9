/// A hash function for client data in the process's own tables, several times cheaper than `Hasher`.
///
/// Each step multiplies by a constant and combines both halves of the product. Without knowledge of
/// the initial state, finding a collision takes millions of attempts, and an attacker cannot tell
/// when one has succeeded. Because collisions are possible, lookups must also compare the bytes.
enum KeyedHash {
    /// The initial state, which is never disclosed to clients.
    static let seed = UInt64.random(in: .min ... .max)

    @inline(__always)
    static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    /// Returns the state after mixing in the bytes, but not their count.
    @inline(__always)
    static func mixed(_ state: UInt64, _ bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
        guard count > 8 else { return unsafe Self.mixed(state, Self.word(of: bytes, count)) }
        var state = state
        var index = 0
        while index &+ 8 < count {
            state = unsafe Self.mixed(
                state,
                bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            )
            index &+= 8
        }
        // The last eight bytes may overlap the previous ones.
        return unsafe Self.mixed(
            state,
            bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        )
    }

    /// Returns up to eight bytes as a number; different byte strings of the same length give different numbers.
    @inline(__always)
    private static func word(of bytes: UnsafeRawPointer, _ count: Int) -> UInt64 {
        if count >= 4 {
            let first = unsafe bytes.loadUnaligned(as: UInt32.self)
            let last = unsafe bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            return UInt64(first) | UInt64(last) << 32
        }
        guard count > 0 else { return 0 }
        let first = unsafe bytes.load(as: UInt8.self)
        let middle = unsafe bytes.load(fromByteOffset: count &>> 1, as: UInt8.self)
        let last = unsafe bytes.load(fromByteOffset: count &- 1, as: UInt8.self)
        return UInt64(first) | UInt64(middle) << 8 | UInt64(last) << 16
    }
}
