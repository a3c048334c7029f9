package import GatePolicy

/// The texts of a source, for conversion to a notice.
package struct FeedTexts: Sendable, Equatable {
    /// The title in each language.
    package var title: [LanguageTag: String]
    package var message: [LanguageTag: String]
    var button: [LanguageTag: String]

    package init(
        title: [LanguageTag: String] = [:],
        message: [LanguageTag: String] = [:],
        button: [LanguageTag: String] = [:]
    ) {
        self.title = title
        self.message = message
        self.button = button
    }

    private var languages: Set<LanguageTag> { Set(self.title.keys).union(self.message.keys) }

    /// Whether there are texts, but none in the language that every notice requires.
    package func lacks(_ language: LanguageTag) -> Bool {
        !self.languages.isEmpty && !self.languages.contains(language)
    }

    /// Returns the notice in all languages; `nil` if there is no text in the required language.
    ///
    /// Apps show both a title and a message: a missing title is replaced by the message, and vice versa.
    package func notice(in language: LanguageTag) -> JSONValue? {
        guard self.languages.contains(language) else { return nil }
        let others = self.languages.subtracting([language]).sorted { "\($0)" < "\($1)" }
        return .object(
            ([language] + others).map { language in
                let (title, message) = (self.title[language], self.message[language])
                var members: [JSONValue.Member] = [
                    .init("title", .text(Self.escaped(title ?? message ?? ""))),
                    .init("message", .text(Self.escaped(message ?? title ?? ""))),
                ]
                if let button = self.button[language] {
                    members.append(.init("button", .text(Self.escaped(button))))
                }
                return .init("\(language)", .object(members))
            }
        )
    }

    /// Returns the text unchanged if its braces form valid placeholders, otherwise with escaped
    /// braces.
    private static func escaped(_ text: String) -> String {
        if (try? NoticeTemplate(parsing: text, for: .notice)) != nil { return text }
        return text.replacing("{", with: "{{").replacing("}", with: "}}")
    }
}
