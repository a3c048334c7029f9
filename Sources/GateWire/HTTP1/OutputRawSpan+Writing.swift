public import NIOCore

/// Methods that write the parts of a message head into memory that was reserved for all of them.
///
/// They never write out of bounds: they trap if the capacity is too small.
extension OutputRawSpan {
    @inlinable @inline(__always)
    package mutating func write(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
        guard start < end else { return }
        let piece = bytes.extracting(start..<end)
        precondition(self.freeCapacity >= piece.count)
        unsafe self.withUnsafeMutableBytes { space, count in
            unsafe piece.withUnsafeBytes { piece in
                guard let place = space.baseAddress, let first = piece.baseAddress else { return }
                unsafe (place + count).copyMemory(from: first, byteCount: piece.count)
            }
            count += piece.count
        }
    }

    /// Writes `text` with `insertion` inserted at each of the offsets, which must be in ascending order.
    package mutating func write(
        _ text: Span<UInt8>,
        inserting insertion: Span<UInt8>,
        at offsets: Span<Int>
    ) {
        var start = 0
        for index in offsets.indices {
            self.write(text, from: start, to: offsets[index])
            self.write(insertion, from: 0, to: insertion.count)
            start = offsets[index]
        }
        self.write(text, from: start, to: text.count)
    }

    @inlinable @inline(__always)
    package mutating func writeBytes(_ bytes: [UInt8]) {
        self.write(bytes.span, from: 0, to: bytes.count)
    }

    @inlinable @inline(__always)
    package mutating func writeStaticString(_ text: StaticString) {
        text.withUTF8Buffer { text in
            unsafe self.write(text.span, from: 0, to: text.count)
        }
    }

    package mutating func writeString(_ text: String) {
        var text = text
        text.withUTF8 { text in
            unsafe self.write(text.span, from: 0, to: text.count)
        }
    }

    /// Writes a non-negative number in decimal digits.
    package mutating func write(decimal number: Int) {
        guard number < 100_000_000 else {
            self.write(decimal: number / 10)
            return self.append(UInt8(ascii: "0") + UInt8(number % 10))
        }
        // The digits are computed from last to first, so that the first digit ends up in the lowest byte.
        var (digits, rest, count) = (UInt64(0), number, 0)
        repeat {
            digits = digits << 8 | UInt64(0x30 + rest % 10)
            (rest, count) = (rest / 10, count + 1)
        } while rest > 0
        for _ in 0..<count {
            self.append(UInt8(truncatingIfNeeded: digits))
            digits >>= 8
        }
    }

    /// Returns the number of decimal digits of a number.
    package static func digits(of number: Int) -> Int {
        var (count, rest) = (1, number)
        while rest > 9 { (count, rest) = (count + 1, rest / 10) }
        return count
    }
}

extension ByteBuffer {
    @inlinable @inline(__always)
    package mutating func write(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
        guard start < end else { return }
        unsafe self.writeBytes(bytes.extracting(start..<end).bytes)
    }
}
