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
        self.write(into: &buffer)
        return String(buffer: buffer)
    }

    func write(into buffer: inout ByteBuffer) {
        buffer.writeInteger(Self.hexadecimal(UInt32(truncatingIfNeeded: self.high >> 32)))
        buffer.writeInteger(Self.hexadecimal(UInt32(truncatingIfNeeded: self.high)))
        buffer.writeInteger(Self.hexadecimal(UInt32(truncatingIfNeeded: self.low >> 32)))
        buffer.writeInteger(Self.hexadecimal(UInt32(truncatingIfNeeded: self.low)))
    }

    /// The eight digits of a number as the eight bytes of another, the first digit highest.
    private static func hexadecimal(_ value: UInt32) -> UInt64 {
        var digits: UInt64 = 0
        for index in 0..<8 {
            let digit = UInt64(value >> UInt32(28 - 4 * index)) & 0xF
            digits = digits << 8 | (digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
        return digits
    }
}
