/// A notice that knows which of its languages a client gets.
struct Notice: Sendable {
    private let texts: [LanguageTag: NoticeText]
    let lookup: LanguageLookup

    init(_ definition: NoticeDefinition, fallback: LanguageTag) {
        self.init(
            definition,
            LanguageLookup(available: definition.texts.keys, fallback: fallback)
        )
    }

    /// A notice whose languages have been looked through already.
    init(_ definition: NoticeDefinition, _ lookup: LanguageLookup) {
        self.texts = definition.texts
        self.lookup = lookup
    }

    /// The words for a client, and the language that they are in; `nil` for a notice without any.
    func words(for languages: [LanguageRange]) -> (language: LanguageTag, text: NoticeText)? {
        guard let language = self.lookup.best(for: languages), let text = self.texts[language]
        else {
            return nil
        }
        return (language, text)
    }

    /// The words in a language; `nil` if there are none in it.
    func words(in language: LanguageTag) -> NoticeText? {
        self.lookup.closest(to: language).flatMap { self.texts[$0] }
    }
}
