import NIOCore

/// Writes what peers have sent into log lines, whose form it cannot break.
///
/// In text, quotation marks, backslashes and everything but visible ASCII and blanks become `\xHH`, as
/// nginx writes them. In JSON the first two and controls are escaped (RFC 8259 section 7), and what is
/// no UTF-8 becomes U+FFFD.
enum LogValue {
    /// Stands at the end of a value that was cut.
    private static let ellipsis: StaticString = "..."

    /// Writes a value, or as much of it as there may be.
    ///
    /// `limit`: bytes of the value, before anything is escaped; the rest is left out.
    static func write(
        _ value: Span<UInt8>,
        as format: AccessLogFormat,
        atMost limit: Int,
        into line: inout ByteBuffer
    ) {
        let end = value.count > limit ? self.end(of: value, atMost: limit) : value.count
        if value.isPlainLogText(to: end) {
            line.write(value, from: 0, to: end)
        } else if format == .json {
            self.writeJSON(value.text(from: 0, to: end), into: &line)
        } else {
            self.writeText(value.extracting(..<end), into: &line)
        }
        if end < value.count { line.writeStaticString(self.ellipsis) }
    }

    static func write(
        _ value: String,
        as format: AccessLogFormat,
        atMost limit: Int,
        into line: inout ByteBuffer
    ) {
        let bytes = Array(value.utf8)
        self.write(bytes.span, as: format, atMost: limit, into: &line)
    }

    /// Cuts before the character that does not fit whole.
    private static func end(of value: Span<UInt8>, atMost limit: Int) -> Int {
        var end = limit
        while end > max(0, limit - 3), value[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    private static func writeText(_ value: Span<UInt8>, into line: inout ByteBuffer) {
        for index in value.indices {
            let byte = value[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7F...:
                line.writeStaticString("\\x")
                line.writeInteger(self.hexadecimal(byte >> 4))
                line.writeInteger(self.hexadecimal(byte & 0xF))
            default:
                line.writeInteger(byte)
            }
        }
    }

    private static func writeJSON(_ value: String, into line: inout ByteBuffer) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                line.writeInteger(UInt8(ascii: "\\"))
                line.writeInteger(byte)
            case 0..<0x20, 0x7F:
                line.writeStaticString("\\u00")
                line.writeInteger(self.hexadecimal(byte >> 4))
                line.writeInteger(self.hexadecimal(byte & 0xF))
            default:
                line.writeInteger(byte)
            }
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") - 10 + digit
    }
}

extension Span<UInt8> {
    /// Whether the bytes up to `end` stand in a log line as they are: visible ASCII and blanks without
    /// quotation marks and backslashes.
    ///
    /// Eight at a time, and nearly always they are; a false alarm only costs the slower way.
    func isPlainLogText(to end: Int) -> Bool {
        precondition(end <= self.count)
        return unsafe self.withUnsafeBytes { pointer in
            var index = 0
            var wrong: UInt64 = 0
            while index + 8 <= end {
                let word = unsafe pointer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                wrong |= Self.mayNeedEscape(word)
                index += 8
            }
            while index < end {
                let byte = unsafe pointer[index]
                wrong |= Self.mayNeedEscape(UInt64(byte) | 0x2020_2020_2020_2000)
                index += 1
            }
            return wrong == 0
        }
    }

    /// The highest bits of bytes that are no visible ASCII or blank, or one of `"`, `\` and DEL.
    @inline(__always)
    private static func mayNeedEscape(_ word: UInt64) -> UInt64 {
        let low: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let below = (word &- low &* 0x20) & ~word
        let quote = word ^ (low &* 0x22)
        let backslash = word ^ (low &* 0x5C)
        let delete = word ^ (low &* 0x7F)
        let isQuote = (quote &- low) & ~quote
        let isBackslash = (backslash &- low) & ~backslash
        let isDelete = (delete &- low) & ~delete
        return (word | below | isQuote | isBackslash | isDelete) & high
    }
}

extension ByteBuffer {
    /// Writes the digits of a number.
    mutating func writeDecimal(_ value: UInt64) {
        guard value >= 10 else {
            self.writeInteger(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value))
            return
        }
        var rest = value
        // Eight digits are one integer, the first digit lowest.
        if rest >= 100_000_000 {
            self.writeDecimal(rest / 100_000_000)
            rest %= 100_000_000
            self.writeInteger(Self.digits(rest, count: 8), endianness: .little)
            return
        }
        var count = 2
        var power: UInt64 = 100
        while rest >= power {
            count += 1
            power *= 10
        }
        self.setInteger(Self.digits(rest, count: count), at: self.writerIndex, endianness: .little)
        self.moveWriterIndex(forwardBy: count)
    }

    /// The lowest digits of a number, up to eight, as bytes of which the first is the lowest.
    static func digits(_ value: UInt64, count: Int) -> UInt64 {
        var rest = value
        var digits: UInt64 = 0
        for _ in 0..<count {
            digits = digits << 8 | (0x30 + rest % 10)
            rest /= 10
        }
        return digits
    }
}
