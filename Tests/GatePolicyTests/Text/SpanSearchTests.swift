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

    @Test(arguments: 0...25)
    func `one of three bytes is found at each position, and nowhere else`(count: Int) {
        for other in [UInt8(0), 0x2E, 0x2C, 0x29, 0xA8, 0xFF] {
            let bytes = [UInt8](repeating: other, count: count)
            #expect(!Self.containsWanted(bytes))
            for (place, byte) in zip(bytes.indices, repeatElement(Self.wanted, count: 9).joined()) {
                for place in [place, count - 1 - place] {
                    var bytes = bytes
                    bytes[place] = byte
                    #expect(Self.containsWanted(bytes))
                }
            }
        }
    }

    @Test(arguments: 0...25)
    func `a letter is found at each position in either case, and nothing else is`(count: Int) {
        // Most of the other bytes differ from the letter, in one of its cases, in a single bit.
        for other in [UInt8(0), 0x28, 0x2C, 0x40, 0x60, 0x69, 0xC8, 0xE8, 0xFF] {
            let bytes = [UInt8](repeating: other, count: count)
            #expect(!Self.containsH(bytes))
            for place in bytes.indices {
                for letter in [UInt8(0x48), 0x68] {
                    var bytes = bytes
                    bytes[place] = letter
                    #expect(Self.containsH(bytes), "\(other) \(place)")
                }
            }
        }
    }

    private static let wanted: [UInt8] = [0x2F, 0x28, 0x2B]

    private static func containsWanted(_ bytes: [UInt8]) -> Bool {
        bytes.span.contains(oneOf: self.wanted[0], self.wanted[1], self.wanted[2])
    }

    private static func containsH(_ bytes: [UInt8]) -> Bool {
        bytes.span.contains(letter: UInt8(ascii: "h"))
    }
}
