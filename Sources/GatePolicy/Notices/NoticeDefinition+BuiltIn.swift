extension NoticeDefinition {
    /// The built-in notice for a client below a floor.
    static let upgrade = NoticeDefinition { words in
        NoticeText(words.upgradeTitle, words.upgradeMessage, words.updateButton)
    }

    /// The built-in notice for a client with a recommendation.
    static let recommended = NoticeDefinition { words in
        NoticeText(words.recommendedTitle, words.recommendedMessage, words.updateButton)
    }

    /// The built-in notice for a client whose device cannot install the update.
    static let cannotUpdate = NoticeDefinition { words in
        NoticeText(words.cannotUpdateTitle, words.cannotUpdateMessage)
    }

    /// The built-in notice for a client during a maintenance window.
    static let maintenance = NoticeDefinition { words in
        NoticeText(words.maintenanceTitle, words.maintenanceMessage)
    }

    /// The built-in notice for an unidentified client.
    static let unidentified = NoticeDefinition { words in
        NoticeText(words.upgradeTitle, words.unidentifiedMessage, words.updateButton)
    }

    private init(_ text: (BuiltInTexts) -> NoticeText) {
        self.texts = Dictionary(
            BuiltInTexts.all.map { ($0.language, text($0)) },
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
