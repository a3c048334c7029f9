import GateWire

/// An encoder that makes values from peers safe for log lines.
///
/// In text lines, quotation marks, backslashes and all bytes other than printable ASCII become `\xHH`, as in nginx. In
/// JSON, quotation marks, backslashes and control characters are escaped (RFC 8259 section 7), and invalid UTF-8
/// becomes U+FFFD.
enum LogValue {
    /// The string at the end of a truncated value.
    static let ellipsis: StaticString = "..."

    /// Returns the maximum encoded size of a value of `count` bytes.
    ///
    /// The size is six bytes for each byte up to the limit, plus the ellipsis.
    static func room(for count: Int, atMost limit: Int) -> Int {
        min(count, limit) * 6 + self.ellipsis.utf8CodeUnitCount
    }

    /// Writes a value, which is truncated if it is longer than `limit` bytes before escaping.
    static func write(
        _ value: Span<UInt8>,
        as format: AccessLogFormat,
        atMost limit: Int,
        into line: inout LogCursor
    ) {
        let end = value.count > limit ? self.end(of: value, atMost: limit) : value.count
        let shown = value.extracting(..<end)
        if shown.isPlainLogText {
            line.writeBytes(shown)
        } else if format.isJSON {
            self.writeJSON(value.text(from: 0, to: end), into: &line)
        } else {
            self.writeText(shown, into: &line)
        }
        if end < value.count { line.writeStaticString(self.ellipsis) }
    }

    /// Returns the end of the last complete character within the limit.
    private static func end(of value: Span<UInt8>, atMost limit: Int) -> Int {
        var end = limit
        while end > max(0, limit - 3), value[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    private static func writeText(_ value: Span<UInt8>, into line: inout LogCursor) {
        for index in value.indices {
            let byte = value[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7F...:
                line.writeStaticString("\\x")
                line.writeByte(self.hexadecimal(byte >> 4))
                line.writeByte(self.hexadecimal(byte & 0xF))
            default:
                line.writeByte(byte)
            }
        }
    }

    private static func writeJSON(_ value: String, into line: inout LogCursor) {
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                line.writeByte(UInt8(ascii: "\\"))
                line.writeByte(byte)
            case 0..<0x20, 0x7F:
                line.writeStaticString("\\u00")
                line.writeByte(self.hexadecimal(byte >> 4))
                line.writeByte(self.hexadecimal(byte & 0xF))
            default:
                line.writeByte(byte)
            }
        }
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") - 10 + digit
    }
}

extension Span<UInt8> {
    /// Whether the bytes can be copied to a log line verbatim.
    ///
    /// They must be printable ASCII without quotation marks or backslashes. Sixteen bytes are checked at a time. A
    /// false negative only means that the slower path is used.
    var isPlainLogText: Bool {
        unsafe self.withUnsafeBytes { bytes in
            let last = bytes.count - 16
            guard last >= 0 else { return unsafe Self.isPlain(Self.mark(Self.padded(bytes))) }
            // The last sixteen bytes overlap the previous ones.
            var marks = unsafe Self.mark(bytes.loadUnaligned(fromByteOffset: last, as: Words.self))
            var index = 0
            while index < last {
                let words = unsafe bytes.loadUnaligned(fromByteOffset: index, as: Words.self)
                marks |= Self.mark(words)
                index &+= 16
            }
            return Self.isPlain(marks)
        }
    }

    private typealias Words = SIMD2<UInt64>

    /// Returns fewer than sixteen bytes as two words.
    ///
    /// The words are the first and the last eight bytes or, for fewer than eight bytes, all bytes padded with spaces in
    /// both words.
    private static func padded(_ bytes: UnsafeRawBufferPointer) -> Words {
        let last = bytes.count - 8
        if last >= 0 {
            return unsafe Words(
                bytes.loadUnaligned(as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)
            )
        }
        var word: UInt64 = 0x2020_2020_2020_2020
        for index in bytes.indices { unsafe word = word << 8 | UInt64(bytes[index]) }
        return Words(repeating: word)
    }

    /// In each word, marks the first byte that is not plain, by setting its highest bit.
    ///
    /// Plain bytes are printable ASCII other than `"` and `\`. In a word of plain bytes, no highest bit is set. A carry
    /// or borrow can affect only the bytes after the first one that is not plain.
    @inline(__always)
    private static func mark(_ words: Words) -> Words {
        let ones = Words(repeating: 0x0101_0101_0101_0101)
        let blanks = Words(repeating: 0x2020_2020_2020_2020)
        let quotes = words ^ Words(repeating: 0x2222_2222_2222_2222)
        let backslashes = words ^ Words(repeating: 0x5C5C_5C5C_5C5C_5C5C)
        let controls = (words &- blanks) | (words &+ ones)
        return words | controls | (quotes &- ones) | (backslashes &- ones)
    }

    private static func isPlain(_ marks: Words) -> Bool {
        (marks[0] | marks[1]) & 0x8080_8080_8080_8080 == 0
    }
}
