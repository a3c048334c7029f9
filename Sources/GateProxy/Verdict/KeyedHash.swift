/// Hashes what clients send, for the tables of one process: several times cheaper than a `Hasher`.
///
/// Each step is a multiplication by a constant, whose halves are folded into one another. Who does not know the state
/// that it begins with finds two values that come to the same once in some million tries, and cannot tell that it
/// has: whoever looks something up by it compares the bytes, too.
enum KeyedHash {
    /// A state to begin with; no client learns it.
    static let seed = UInt64.random(in: .min ... .max)

    @inline(__always)
    static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    /// Mixes in bytes, but not their number.
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
        // The last eight bytes, some of which may have had their turn.
        return unsafe Self.mixed(
            state,
            bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        )
    }

    /// Up to eight bytes in one number, of which their count tells the rest.
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
