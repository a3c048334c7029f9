package import GatePolicy

/// Words that a source gives, as a notice.
package struct FeedWords: Sendable, Equatable {
    /// The title, and the text below it, by language.
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

    /// Whether there are words, and none in a language, which every notice needs.
    package func lacks(_ language: LanguageTag) -> Bool {
        !self.languages.isEmpty && !self.languages.contains(language)
    }

    /// The notice in all languages; `nil` if there are no words in the one that it needs.
    ///
    /// An app shows both: where there is only one of them, it stands for the other.
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

    /// The text as it is if its braces are placeholders, or else with braces that are braces.
    private static func escaped(_ text: String) -> String {
        if (try? NoticeTemplate(parsing: text, for: .notice)) != nil { return text }
        return text.doubling("{").doubling("}")
    }
}

extension String {
    fileprivate func doubling(_ mark: String) -> String {
        self.split(separator: mark, omittingEmptySubsequences: false)
            .joined(separator: mark + mark)
    }
}
