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
        var hidden = ""
        hidden.reserveCapacity(text.utf8.count)
        var before: Unicode.Scalar = "\n"
        for scalar in text.unicodeScalars {
            let mayBegin = scalar == "*" && " \t\r\n[{,:".unicodeScalars.contains(before)
            hidden.unicodeScalars.append(mayBegin ? Self.mark : scalar)
            before = scalar
        }
        return hidden
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
