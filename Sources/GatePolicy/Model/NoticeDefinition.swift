/// The words that a client shows, in every language that the rules file has.
package struct NoticeDefinition: Sendable, Equatable {
    package var texts: [LanguageTag: NoticeText]

    package init(texts: [LanguageTag: NoticeText]) {
        self.texts = texts
    }
}

/// The words of a notice in one language.
package struct NoticeText: Sendable, Equatable {
    package var title: NoticeTemplate
    package var message: NoticeTemplate
    /// The words on the button that leads to the store.
    package var button: NoticeTemplate?

    package init(title: NoticeTemplate, message: NoticeTemplate, button: NoticeTemplate? = nil) {
        self.title = title
        self.message = message
        self.button = button
    }
}
