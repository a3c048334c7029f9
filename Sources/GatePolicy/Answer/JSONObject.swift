/// Writes one flat JSON object (RFC 8259), with its members in the order in which they are added.
struct JSONObject {
    private var text: [UInt8] = []

    /// The object as UTF-8, without white space.
    var bytes: [UInt8] {
        (self.text.isEmpty ? [UInt8(ascii: "{")] : self.text) + [UInt8(ascii: "}")]
    }

    /// Adds a string, if there is one.
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        self.begin(name)
        self.append(quoted: value)
    }

    /// Adds a number, if there is one.
    mutating func add(_ name: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        self.begin(name)
        self.text += String(value).utf8
    }

    private mutating func begin(_ name: String) {
        self.text.append(self.text.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        self.append(quoted: name)
        self.text.append(UInt8(ascii: ":"))
    }

    /// Section 7: quotation mark, backslash and control characters are escaped, nothing else.
    private mutating func append(quoted value: String) {
        self.text.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                self.text += [UInt8(ascii: "\\"), byte]
            case 0x08: self.text += "\\b".utf8
            case 0x09: self.text += "\\t".utf8
            case 0x0A: self.text += "\\n".utf8
            case 0x0C: self.text += "\\f".utf8
            case 0x0D: self.text += "\\r".utf8
            case 0..<0x20:
                self.text += (byte < 0x10 ? "\\u000" : "\\u00").utf8
                self.text += String(byte, radix: 16).utf8
            default:
                self.text.append(byte)
            }
        }
        self.text.append(UInt8(ascii: "\""))
    }
}
