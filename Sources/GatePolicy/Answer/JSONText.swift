/// JSON under construction (RFC 8259).
struct JSONText {
    private(set) var bytes: [UInt8] = []

    /// Appends what is JSON already.
    mutating func append(_ text: String) {
        self.bytes += text.utf8
    }

    /// Appends a string (section 7): quotation mark, backslash and control characters are escaped,
    /// nothing else.
    mutating func append(quoted value: String) {
        self.bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                self.bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: self.append("\\b")
            case 0x09: self.append("\\t")
            case 0x0A: self.append("\\n")
            case 0x0C: self.append("\\f")
            case 0x0D: self.append("\\r")
            case 0..<0x20:
                self.append(byte < 0x10 ? "\\u000" : "\\u00")
                self.append(String(byte, radix: 16))
            default:
                self.bytes.append(byte)
            }
        }
        self.bytes.append(UInt8(ascii: "\""))
    }
}
