package import GatePolicy

/// A JSON value that keeps numbers as strings.
package enum JSONValue: Sendable, Equatable {
    package struct Member: Sendable, Equatable {
        package let name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    case null
    case boolean(Bool)
    case number(String)
    case text(String)
    case list([JSONValue])
    case object([Member])

    /// Creates the value of a build number, as in a rules file: a number if the build has one part, otherwise a string.
    package static func build(_ build: BuildNumber) -> JSONValue {
        build.isWhole ? .number("\(build)") : .text("\(build)")
    }

    /// A description of the value for messages.
    package var found: String {
        switch self {
        case .null: "nothing"
        case .boolean(let value): "\(value)"
        case .number(let text): "the number \(text)"
        case .text(let text): "the string '\(text)'"
        case .list: "a list"
        case .object: "an object"
        }
    }

    /// The value of a member; `nil` if this is not an object or has no such member.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The value at a path such as `ios.minimum`; `nil` if it is absent or cannot be parsed.
    package subscript(path path: String) -> JSONValue? {
        guard case .found(let value) = self.lookup(path) else { return nil }
        return value
    }

    package var items: [JSONValue]? {
        guard case .list(let items) = self else { return nil }
        return items
    }

    package var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}

extension JSONValue {
    /// The value as formatted text, indented by two spaces; short values stay on one line.
    package var rendered: String { self.rendered(indent: "") }

    private static let longestLine = 90

    private func rendered(indent: String) -> String {
        let short = self.compact
        guard indent.count + short.count > Self.longestLine else { return short }
        let deeper = indent + "  "
        switch self {
        case .null, .boolean, .number, .text: return short
        case .list(let items):
            let lines = items.map { deeper + $0.rendered(indent: deeper) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members):
            let lines = members.map { member in
                "\(deeper)\(Self.quoted(member.name)): \(member.value.rendered(indent: deeper))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    /// The value on one line.
    package var compact: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let text): text
        case .text(let text): Self.quoted(text)
        case .list(let items): "[" + items.map(\.compact).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.map { "\(Self.quoted($0.name)): \($0.value.compact)" }
                .joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            // Characters that YAML does not allow unescaped (YAML 1.2 section 5.1), or treats as
            // line breaks.
            case _ where scalar.value < 0x20, "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}",
                "\u{FEFF}", "\u{FFFE}", "\u{FFFF}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension JSONValue {
    /// Converts a value of a rules file.
    init(_ element: Element) {
        switch element.content {
        case .text(let text), .date(let text): self = .text(text)
        case .number(let text): self = .number(text)
        case .boolean(let text): self = .boolean(text == "true")
        case .nothing: self = .null
        case .list(let items): self = .list(items.map { JSONValue($0) })
        case .mapping(let entries):
            self = .object(entries.map { Member($0.key, JSONValue($0.value)) })
        }
    }
}
