import Testing

@testable import GateProxy

struct KeyedHashTests {
    private static func hash(_ bytes: [UInt8], from state: UInt64 = 7) -> UInt64 {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return state }
            return unsafe KeyedHash.mixed(state, start, bytes.count)
        }
    }

    @Test(arguments: 1...70)
    func `each bit affects the hash`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
        var seen = [Self.hash(bytes)]
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << UInt8(bit)
                seen.append(Self.hash(other))
            }
        }
        #expect(Set(seen).count == seen.count)
    }

    @Test func `equal bytes with equal start values have equal hashes`() {
        let bytes = Array("com.example.app".utf8)
        #expect(Self.hash(bytes) == Self.hash(Array(bytes)))
        #expect(Self.hash(bytes) != Self.hash(bytes, from: 8))
    }

    @Test func `the lowest bits of sequential texts are distributed`() {
        let places = (0..<4096).map { Self.hash(Array("4.\($0)".utf8)) & 63 }
        let counts = Dictionary(grouping: places) { $0 }.mapValues(\.count)
        // On average, each value occurs 64 times.
        #expect(counts.count == 64)
        #expect(counts.values.allSatisfy { 20...120 ~= $0 })
    }
}
