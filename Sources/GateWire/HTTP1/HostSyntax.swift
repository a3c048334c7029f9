/// The grammar of `Host`: `uri-host [ ":" port ]` (RFC 9110 section 7.2, RFC 3986 section 3.2.2).
///
/// RFC 3986 allows a comma in a name. It is rejected here, because it makes one host look like two.
enum HostSyntax {
    /// Whether a range is a host with an optional port, or empty (RFC 9112 section 3.2).
    static func isValid(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard start < end else { return true }
        if self.isPlainName(bytes, from: start, to: end) { return true }
        var index = start
        if bytes[start] == UInt8(ascii: "[") {
            index += 1
            while index < end, self.isAddressByte(bytes[index]) { index += 1 }
            guard index < end, bytes[index] == UInt8(ascii: "]"), index > start + 1 else {
                return false
            }
            index += 1
        } else {
            while index < end, self.isNameByte(bytes[index]) { index += 1 }
        }
        guard index < end else { return true }
        guard bytes[index] == ASCII.colon, index > start else { return false }
        index += 1
        while index < end, ASCII.isDigit(bytes[index]) { index += 1 }
        return index == end
    }

    /// Whether a range is certainly a name: at least eight letters, digits, dots and hyphens.
    ///
    /// It checks eight bytes at a time; nearly all hosts of requests have this form.
    private static func isPlainName(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        let last = end - 8
        guard start <= last else { return false }
        var index = start
        while true {
            guard self.isPlain(bytes.word(at: index)) else { return false }
            guard index < last else { return true }
            // The last word may overlap with the one before it.
            index = min(index + 8, last)
        }
    }

    /// Whether eight bytes are all letters, digits, dots or hyphens.
    private static func isPlain(_ word: UInt64) -> Bool {
        let high: UInt64 = 0x8080_8080_8080_8080
        /// Marks the bytes from `first` to `last` in their highest bits; no byte may be above 0x7F.
        func marks(_ word: UInt64, _ first: UInt8, _ last: UInt8) -> UInt64 {
            let ones: UInt64 = 0x0101_0101_0101_0101
            return (word &+ ones &* UInt64(0x80 - first)) & ~(word &+ ones &* UInt64(0x7F - last))
        }
        let letters = marks(word | 0x2020_2020_2020_2020, UInt8(ascii: "a"), UInt8(ascii: "z"))
        let digits = marks(word, UInt8(ascii: "0"), UInt8(ascii: "9"))
        let others = marks(word, UInt8(ascii: "-"), UInt8(ascii: "."))
        return (letters | digits | others) & ~word & high == high
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        ASCII.hexValue(byte) != nil || byte == ASCII.colon || byte == UInt8(ascii: ".")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        // Most name bytes are letters and dots.
        if (byte | 0x20) &- 0x61 < 26 || byte == ASCII.dot { return true }
        return switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"): false
        case UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "("), UInt8(ascii: ")"): true
        default: ASCII.isToken(byte)
        }
    }
}
