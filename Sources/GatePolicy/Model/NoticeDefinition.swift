/// The texts that a client shows, in all languages of the rules file.
package struct NoticeDefinition: Sendable, Equatable {
    package var texts: [LanguageTag: NoticeText]

    package init(texts: [LanguageTag: NoticeText]) {
        self.texts = texts
    }
}

/// The texts of a notice in one language.
package struct NoticeText: Sendable, Equatable {
    package var title: NoticeTemplate
    package var message: NoticeTemplate
    /// The text of the button that opens the store.
    package var button: NoticeTemplate?

    package init(title: NoticeTemplate, message: NoticeTemplate, button: NoticeTemplate? = nil) {
        self.title = title
        self.message = message
        self.button = button
    }
}
