/// A notice that selects the best of its languages for a client.
struct Notice: Sendable {
    private let texts: [LanguageTag: NoticeText]
    let lookup: LanguageLookup

    init(_ definition: NoticeDefinition, fallback: LanguageTag) {
        self.init(
            definition,
            LanguageLookup(available: definition.texts.keys, fallback: fallback)
        )
    }

    /// Creates a notice with an existing lookup for its languages.
    init(_ definition: NoticeDefinition, _ lookup: LanguageLookup) {
        self.texts = definition.texts
        self.lookup = lookup
    }

    /// Returns the texts for a client, and their language; `nil` if the notice has no texts.
    func words(for languages: [LanguageRange]) -> (language: LanguageTag, text: NoticeText)? {
        guard let language = self.lookup.best(for: languages), let text = self.texts[language]
        else {
            return nil
        }
        return (language, text)
    }

    /// Returns the texts in a language; `nil` if there are none.
    func words(in language: LanguageTag) -> NoticeText? {
        self.lookup.closest(to: language).flatMap { self.texts[$0] }
    }
}
