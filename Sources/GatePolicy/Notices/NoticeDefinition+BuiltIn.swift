extension NoticeDefinition {
    /// The words for a client below a floor.
    static let upgrade = NoticeDefinition { words in
        NoticeText(words.upgradeTitle, words.upgradeMessage, words.updateButton)
    }

    /// The words for a client for whom an update is only recommended.
    static let recommended = NoticeDefinition { words in
        NoticeText(words.recommendedTitle, words.recommendedMessage, words.updateButton)
    }

    /// The words for a client whose device cannot have the update.
    static let cannotUpdate = NoticeDefinition { words in
        NoticeText(words.cannotUpdateTitle, words.cannotUpdateMessage)
    }

    /// The words for a client that meets maintenance.
    static let maintenance = NoticeDefinition { words in
        NoticeText(words.maintenanceTitle, words.maintenanceMessage)
    }

    /// The words for a client that does not say which build it is.
    static let unidentified = NoticeDefinition { words in
        NoticeText(words.upgradeTitle, words.unidentifiedMessage, words.updateButton)
    }

    private init(_ text: (BuiltInWords) -> NoticeText) {
        self.texts = Dictionary(
            BuiltInWords.all.map { ($0.language, text($0)) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}

extension NoticeText {
    fileprivate init(_ title: String, _ message: String, _ button: String? = nil) {
        self.init(
            title: NoticeTemplate(literal: title),
            message: NoticeTemplate(literal: message),
            button: button.map { NoticeTemplate(literal: $0) }
        )
    }
}
