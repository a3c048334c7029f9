import NIOCore

/// A generator of IDs for requests that have none.
///
/// The IDs are cheap to generate, and unique across threads and restarts.
package struct RequestIDs {
    private let prefix: UInt64
    private var counter: UInt64

    package init() {
        self.prefix = UInt64.random(in: .min ... .max)
        self.counter = UInt64.random(in: .min ... .max)
    }

    package mutating func next() -> RequestID {
        self.counter &+= 1
        return RequestID(high: self.prefix, low: self.counter)
    }
}

/// The ID of a request: 32 lower-case hexadecimal digits.
package struct RequestID: CustomStringConvertible, Sendable {
    /// The digits in ASCII in memory order, eight in each integer.
    package let digits: InlineArray<4, UInt64>

    package init(high: UInt64, low: UInt64) {
        let (first, last) = (Self.reversed(high), Self.reversed(low))
        let digits = Self.hexadecimal(
            SIMD4(first & 0xFFFF_FFFF, first >> 32, last & 0xFFFF_FFFF, last >> 32)
        )
        self.digits = [digits[0], digits[1], digits[2], digits[3]]
    }

    /// Returns a number with its hexadecimal digits in reverse order.
    private static func reversed(_ number: UInt64) -> UInt64 {
        let bytes = number.byteSwapped
        let low: UInt64 = 0x0F0F_0F0F_0F0F_0F0F
        return (bytes >> 4) & low | (bytes & low) << 4
    }

    package var description: String {
        var buffer = ByteBuffer()
        buffer.writeWithOutputRawSpan(minimumWritableBytes: 32) { self.write(into: &$0) }
        return String(buffer: buffer)
    }

    package func write(into out: inout OutputRawSpan) {
        // Appending the integers as raw memory is safe, because they have no padding.
        for index in self.digits.indices { unsafe out.append(self.digits[index], as: UInt64.self) }
    }

    /// Returns the eight hexadecimal digits of each integer, as the eight ASCII bytes of another integer.
    private static func hexadecimal(_ values: SIMD4<UInt64>) -> SIMD4<UInt64> {
        let ones = SIMD4<UInt64>(repeating: 0x0101_0101_0101_0101)
        // Spread the digits until each has its own byte.
        var digits = values
        digits = (digits | digits &<< 16) & SIMD4(repeating: 0x0000_FFFF_0000_FFFF)
        digits = (digits | digits &<< 8) & SIMD4(repeating: 0x00FF_00FF_00FF_00FF)
        digits = (digits | digits &<< 4) & SIMD4(repeating: 0x0F0F_0F0F_0F0F_0F0F)
        // Adding six to a digit carries into the next bit if the digit is ten or greater, and thus a letter.
        let letters = ((digits &+ SIMD4(repeating: 0x0606_0606_0606_0606)) &>> 4) & ones
        // `a` is 0x27 above the character after `9`. The shifts multiply by 0x27 within each byte.
        let distance = (letters &<< 5) | (letters &<< 2) | (letters &<< 1) | letters
        return digits &+ SIMD4(repeating: 0x3030_3030_3030_3030) &+ distance
    }
}
