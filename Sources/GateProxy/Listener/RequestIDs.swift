import NIOCore

/// Names for requests that came without one: unique over threads and restarts, cheap to make.
struct RequestIDs {
    private let prefix: UInt64
    private var counter: UInt64

    init() {
        self.prefix = UInt64.random(in: .min ... .max)
        self.counter = UInt64.random(in: .min ... .max)
    }

    mutating func next() -> RequestID {
        self.counter &+= 1
        return RequestID(high: self.prefix, low: self.counter)
    }
}

/// The name of one request: 32 lower-case hexadecimal digits when written.
package struct RequestID: CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package var description: String {
        var buffer = ByteBuffer()
        buffer.writeWithOutputRawSpan(minimumWritableBytes: 32) { self.write(into: &$0) }
        return String(buffer: buffer)
    }

    func write(into out: inout OutputRawSpan) {
        let digits = self.digits
        // Whole numbers, whose every bit has a meaning.
        for index in 0..<4 { unsafe out.append(digits[index].bigEndian, as: UInt64.self) }
    }

    /// All digits, eight bytes in each number, the first digit highest.
    var digits: SIMD4<UInt64> {
        SIMD4(
            Self.hexadecimal(UInt32(truncatingIfNeeded: self.high >> 32)),
            Self.hexadecimal(UInt32(truncatingIfNeeded: self.high)),
            Self.hexadecimal(UInt32(truncatingIfNeeded: self.low >> 32)),
            Self.hexadecimal(UInt32(truncatingIfNeeded: self.low))
        )
    }

    /// The eight digits of a number as the eight bytes of another, the first digit highest.
    private static func hexadecimal(_ value: UInt32) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // Halves are moved apart until each digit has a byte of its own.
        var digits = UInt64(value)
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // From ten on, six more reach the next bit: these digits are letters.
        let letters = ((digits &+ ones &* 6) >> 4) & ones
        return digits &+ ones &* 0x30 &+ letters &* 0x27
    }
}
