package import GatePolicy

/// The mapping from VersionGate's field names to those of a source.
package struct FieldNames: Sendable, Equatable {
    /// The field that contains a text in one language.
    package struct Word: Sendable, Equatable {
        package let language: LanguageTag
        package let path: String
    }

    private let names: [String: String]
    private let words: [String: [Word]]
    private let usual: [String: String]

    /// Decodes `fields`, which maps VersionGate's names to those of the source.
    ///
    /// - Parameters:
    ///   - element: A mapping; `nil` if the source uses VersionGate's names.
    ///   - known: VersionGate's names.
    ///   - localized: The names in `known` that support a field per language.
    ///   - usual: The default names of the source, where they differ from VersionGate's names.
    ///   - problems: The list to which unknown names are added.
    package init(
        _ element: Element?,
        known: [String],
        localized: [String] = [],
        usual: [String: String] = [:],
        _ problems: Problems
    ) {
        var names: [String: String] = [:]
        var words: [String: [Word]] = [:]
        if let element, let fields = Fields(element, known, problems) {
            for key in known {
                guard let field = fields[key] else { continue }
                if localized.contains(key), case .mapping(let entries) = field.content {
                    words[key] = entries.compactMap { Self.word($0, problems) }
                } else {
                    names[key] = Self.path(field, problems)
                }
            }
        }
        self.names = names
        self.words = words
        self.usual = usual
    }

    private static func word(_ entry: Element.Entry, _ problems: Problems) -> Word? {
        guard let language = LanguageTag(language: entry.key) else {
            return problems.reject(language: entry.key, at: entry.place)
        }
        return self.path(entry.value, problems).map { Word(language: language, path: $0) }
    }

    /// Decodes the path of a value: one or more names joined by dots, optionally followed by `#`
    /// and a JSON pointer.
    private static func path(_ element: Element, _ problems: Problems) -> String? {
        guard let text = element.text("a field name", problems) else { return nil }
        guard let mark = text.firstIndex(of: JSONValue.pointerMark) else { return text }
        let pointer = String(text[text.index(after: mark)...])
        if mark > text.startIndex, pointer.hasPrefix("/"), JSONPointer(parsing: pointer) != nil {
            return text
        }
        let message =
            "'\(text)' is not a valid path: to read 'min' from the JSON in the field NAME, write "
            + "'NAME#/min'"
        return problems.reject(message, at: element.place)
    }

    /// Whether `fields` contains a name.
    package func isGiven(_ name: String) -> Bool {
        self.names[name] != nil || self.words[name] != nil
    }

    /// Returns the path of an optional field; `nil` if `fields` does not contain it.
    package func given(_ name: String) -> String? { self.names[name] }

    /// Returns the fields that contain a text, one per language; `nil` if the text has a single field.
    package func words(_ name: String) -> [Word]? { self.words[name] }

    /// All mapped paths.
    package var paths: [String] {
        Set(self.names.values).union(self.words.values.joined().map(\.path)).sorted()
    }

    package subscript(name: String) -> String { self.names[name] ?? self.usual[name] ?? name }
}

extension LanguageTag {
    /// Parses a language tag in the notations that sources use: `ja`, `pt-BR`, `zh_TW`.
    ///
    /// Primary subtags with more than three letters, which no language uses today (RFC 5646 section
    /// 2.2.1), are rejected: such a string is probably not a language tag.
    package init?(language text: String) {
        let tag = String(text.map { $0 == "_" ? "-" : $0 })
        guard let primary = tag.split(separator: "-").first, 2...3 ~= primary.utf8.count else {
            return nil
        }
        self.init(tag)
    }
}
