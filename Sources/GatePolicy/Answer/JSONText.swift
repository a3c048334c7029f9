/// A writer for JSON (RFC 8259).
struct JSONText {
    private(set) var bytes: [UInt8] = []

    /// Appends JSON that is already encoded.
    mutating func append(_ text: String) {
        self.bytes += text.utf8
    }

    /// Appends a value that is already encoded as JSON.
    mutating func append(json bytes: [UInt8]) {
        self.bytes += bytes
    }

    /// Appends a string (RFC 8259 section 7).
    ///
    /// Only quotation marks, backslashes and control characters are escaped.
    mutating func append(quoted value: String) {
        self.bytes.append(UInt8(ascii: "\""))
        let text = value.utf8Span.span
        var start = 0
        for index in text.indices where Self.isEscaped(text[index]) {
            self.bytes.append(text.extracting(start..<index))
            self.append(escaped: text[index])
            start = index + 1
        }
        self.bytes.append(text.extracting(start..<text.count))
        self.bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case 0x08: self.append("\\b")
        case 0x09: self.append("\\t")
        case 0x0A: self.append("\\n")
        case 0x0C: self.append("\\f")
        case 0x0D: self.append("\\r")
        case 0..<0x20:
            self.append(byte < 0x10 ? "\\u000" : "\\u00")
            self.append(String(byte, radix: 16))
        default:
            self.bytes += [UInt8(ascii: "\\"), byte]
        }
    }
}
