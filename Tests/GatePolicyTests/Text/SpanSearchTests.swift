import Testing

@testable import GatePolicy

/// The search for a byte, which compares eight bytes at a time.
struct SpanSearchTests {
    @Test(arguments: 0...25)
    func `a byte is found at each position, and nowhere else`(count: Int) {
        for byte in [UInt8(0x2C), 0, 0x80, 0xFF] {
            for other in [UInt8(0), byte &+ 1, byte &- 1, 0x80, 0xFF] where other != byte {
                var bytes = [UInt8](repeating: other, count: count)
                #expect(bytes.span.firstIndex(of: byte) == nil)
                for place in bytes.indices.reversed() {
                    // The bytes behind the first one are equal to it.
                    bytes[place] = byte
                    #expect(bytes.span.firstIndex(of: byte) == place)
                }
            }
        }
    }
}
