/// The built-in texts in one language, for notices that a rules file does not define.
///
/// The texts have no placeholders, so that they are complete even for clients that send no
/// identity.
struct BuiltInTexts: Sendable {
    /// The lines of one language in a table, after the language tag.
    enum Line: Int, CaseIterable {
        case upgradeTitle = 1
        case upgradeMessage, unidentifiedMessage, updateButton, recommendedTitle
        case recommendedMessage, cannotUpdateTitle, cannotUpdateMessage, maintenanceTitle
        case maintenanceMessage
    }

    let language: LanguageTag
    private let lines: [String]

    /// The texts in all languages.
    static let all = [Self.westernEurope, Self.easternEurope, Self.asia].flatMap { table in
        table.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "")
            .compactMap { Self(lines: Array($0)) }
    }

    private init?(lines: [Substring]) {
        guard lines.count == 1 + Line.allCases.count, let language = LanguageTag(String(lines[0]))
        else { return nil }
        self.language = language
        self.lines = lines.map { String($0) }
    }

    subscript(line: Line) -> String { self.lines[line.rawValue] }
}

extension NoticeDefinition {
    /// The built-in notice for a client below a floor.
    static let upgrade = NoticeDefinition(.upgradeTitle, .upgradeMessage, .updateButton)

    /// The built-in notice for a client with a recommendation.
    static let recommended = NoticeDefinition(
        .recommendedTitle,
        .recommendedMessage,
        .updateButton
    )

    /// The built-in notice for a client whose device cannot install the update.
    static let cannotUpdate = NoticeDefinition(.cannotUpdateTitle, .cannotUpdateMessage)

    /// The built-in notice for a client during a maintenance window.
    static let maintenance = NoticeDefinition(.maintenanceTitle, .maintenanceMessage)

    /// The built-in notice for an unidentified client.
    static let unidentified = NoticeDefinition(.upgradeTitle, .unidentifiedMessage, .updateButton)

    private init(
        _ title: BuiltInTexts.Line,
        _ message: BuiltInTexts.Line,
        _ button: BuiltInTexts.Line? = nil
    ) {
        let texts = BuiltInTexts.all.map { words in
            let text = NoticeText(
                title: NoticeTemplate(literal: words[title]),
                message: NoticeTemplate(literal: words[message]),
                button: button.map { NoticeTemplate(literal: words[$0]) }
            )
            return (words.language, text)
        }
        self.texts = Dictionary(firstOf: texts)
    }
}
