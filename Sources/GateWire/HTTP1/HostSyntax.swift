/// The grammar of `Host`: `uri-host [ ":" port ]` (RFC 9110 section 7.2, RFC 3986 section 3.2.2).
///
/// RFC 3986 allows a comma in a name. The gate rejects a comma, because it makes one host look like two.
enum HostSyntax {
    /// Returns whether a range is a host with an optional port, or empty (RFC 9112 section 3.2).
    static func isValid(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        guard start < end else { return true }
        var index = start
        if bytes[start] == UInt8(ascii: "[") {
            index += 1
            while index < end, self.isAddressByte(bytes[index]) { index += 1 }
            guard index < end, bytes[index] == UInt8(ascii: "]"), index > start + 1 else {
                return false
            }
            index += 1
        } else {
            // Nearly all names consist only of the bytes that `endOfPlainHost` accepts.
            index = min(bytes.endOfPlainHost(from: start), end)
            while index < end, self.isNameByte(bytes[index]) { index += 1 }
        }
        guard index < end else { return true }
        guard bytes[index] == ASCII.colon, index > start else { return false }
        index += 1
        while index < end, ASCII.isDigit(bytes[index]) { index += 1 }
        return index == end
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        ASCII.hexValue(byte) != nil || byte == ASCII.colon || byte == UInt8(ascii: ".")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"): false
        case UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "("), UInt8(ascii: ")"): true
        default: ASCII.isToken(byte)
        }
    }
}
