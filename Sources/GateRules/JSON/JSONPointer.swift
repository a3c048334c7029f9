/// A JSON pointer (RFC 6901), such as `/min` or `/apps/0/version`.
struct JSONPointer: Sendable, Equatable {
    private let names: [String]

    /// Parses a pointer; the empty string refers to the whole document.
    ///
    /// Returns `nil` unless every name follows a slash, and every `~` is followed by `0` or `1`.
    init?(parsing text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        var names: [String] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let name = Self.unescaped(part) else { return nil }
            names.append(name)
        }
        self.names = names
    }

    /// Returns the referenced value; `nil` if there is none.
    func value(in document: JSONValue) -> JSONValue? {
        var value = document
        for name in self.names {
            guard let next = value[name] ?? Self.item(name, of: value) else { return nil }
            value = next
        }
        return value
    }

    /// Array indices have no leading zeros (section 4).
    private static func item(_ name: String, of value: JSONValue) -> JSONValue? {
        guard let items = value.items, let index = Int(name), "\(index)" == name,
            items.indices.contains(index)
        else { return nil }
        return items[index]
    }

    private static func unescaped(_ part: Substring) -> String? {
        var name = ""
        var rest = part
        while let character = rest.popFirst() {
            guard character == "~" else {
                name.append(character)
                continue
            }
            switch rest.popFirst() {
            case "0": name.append("~")
            case "1": name.append("/")
            case nil, _?: return nil
            }
        }
        return name
    }
}
