package import GatePolicy

/// By which names a source calls what a feed looks for.
package struct FieldNames: Sendable, Equatable {
    /// The name of a text in one language.
    package struct Word: Sendable, Equatable {
        package let language: LanguageTag
        package let path: String
    }

    private let names: [String: String]
    private let words: [String: [Word]]
    private let usual: [String: String]

    /// Reads `fields`: names of the source by our names for them.
    ///
    /// - Parameters:
    ///   - element: A mapping; `nil` if the source uses our names.
    ///   - known: Our names.
    ///   - localized: Those of `known` that may have a name for each language.
    ///   - usual: What the source calls them if nobody says otherwise; ours, if that is not there.
    ///   - problems: Where names are reported that there are not.
    package init(
        _ element: Element?,
        known: [String],
        localized: [String] = [],
        usual: [String: String] = [:],
        _ problems: Problems
    ) {
        var names: [String: String] = [:]
        var words: [String: [Word]] = [:]
        if let element, let fields = Fields(element, keys: known, problems: problems) {
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
            let message = "'\(entry.key)' is not a language tag such as 'en' or 'zh-Hant'"
            problems.report(message, at: entry.place)
            return nil
        }
        return self.path(entry.value, problems).map { Word(language: language, path: $0) }
    }

    /// The path of a value: a name, names joined by dots, or one with a JSON pointer behind a `#`.
    private static func path(_ element: Element, _ problems: Problems) -> String? {
        guard let text = element.text("the name of a field", problems) else { return nil }
        guard let mark = text.firstIndex(of: JSONValue.pointerMark) else { return text }
        let pointer = String(text[text.index(after: mark)...])
        if mark > text.startIndex, pointer.hasPrefix("/"), JSONPointer(parsing: pointer) != nil {
            return text
        }
        let message =
            "'\(text)' is not a place within JSON: write 'NAME#/min' for 'min' in the JSON that NAME "
            + "holds"
        problems.report(message, at: element.place)
        return nil
    }

    /// Whether somebody says how the source calls it.
    package func isGiven(_ name: String) -> Bool {
        self.names[name] != nil || self.words[name] != nil
    }

    /// The path of a field that is read only if `fields` names it.
    package func given(_ name: String) -> String? { self.names[name] }

    /// The names of a text in each language; `nil` if it has one name.
    package func words(_ name: String) -> [Word]? { self.words[name] }

    /// Every path that is named, for whatever it is.
    package var paths: [String] {
        Set(self.names.values).union(self.words.values.joined().map(\.path)).sorted()
    }

    package subscript(name: String) -> String { self.names[name] ?? self.usual[name] ?? name }
}

extension LanguageTag {
    /// Reads the name of a language as sources write it: `ja`, `pt-BR`, `zh_TW`.
    ///
    /// Longer words, which no language has for its code today (RFC 5646 section 2.2.1), are names of
    /// something else.
    package init?(language text: String) {
        let tag = String(text.map { $0 == "_" ? "-" : $0 })
        guard let primary = tag.split(separator: "-").first, 2...3 ~= primary.utf8.count else {
            return nil
        }
        self.init(tag)
    }
}
