import Yams

/// Keeps the aliases of a YAML text from the composer.
///
/// The composer compares keys with all that is in them. Keys made of aliases to aliases would keep
/// it busy for ever, before anybody could count what they hold. So it gets to see texts in their
/// place: an asterisk that may begin an alias becomes a character that no rules file holds.
enum HiddenAlias {
    /// The last character for private use.
    static let mark: Unicode.Scalar = "\u{10FFFD}"

    /// The text with every asterisk replaced that may begin an alias.
    static func hide(in text: String) -> String {
        var hidden: [UInt8] = []
        hidden.reserveCapacity(text.utf8.count)
        var before = UInt8(ascii: "\n")
        for byte in text.utf8 {
            if byte == UInt8(ascii: "*"), " \t\r\n[{,:".utf8.contains(before) {
                hidden.append(contentsOf: String(Self.mark).utf8)
            } else {
                hidden.append(byte)
            }
            before = byte
        }
        return String(decoding: hidden, as: UTF8.self)
    }

    /// The text as it is written.
    static func restore(_ text: String) -> String {
        guard text.unicodeScalars.contains(Self.mark) else { return text }
        var restored = ""
        restored.unicodeScalars.append(
            contentsOf: text.unicodeScalars.map { $0 == Self.mark ? "*" : $0 }
        )
        return restored
    }

    /// The name that an alias refers to; `nil` for a scalar that is none.
    static func name(in scalar: Node.Scalar) -> String? {
        guard scalar.style == .plain, scalar.string.unicodeScalars.first == Self.mark else {
            return nil
        }
        return Self.restore(String(scalar.string.unicodeScalars.dropFirst()))
    }
}
