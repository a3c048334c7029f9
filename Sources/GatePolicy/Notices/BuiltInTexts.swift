/// The built-in texts in one language, for notices that a rules file does not define.
///
/// They have no placeholders, so that they are complete for clients that send no identity.
struct BuiltInTexts: Sendable {
    let language: LanguageTag
    let upgradeTitle: String
    let upgradeMessage: String
    let unidentifiedMessage: String
    let updateButton: String
    let recommendedTitle: String
    let recommendedMessage: String
    let cannotUpdateTitle: String
    let cannotUpdateMessage: String
    let maintenanceTitle: String
    let maintenanceMessage: String

    /// The texts in all languages.
    static let all = [Self.westernEurope, Self.easternEurope, Self.asia].flatMap { table in
        table.split(separator: "\n", omittingEmptySubsequences: false).split(separator: "")
            .compactMap { Self(lines: Array($0)) }
    }

    /// Parses the lines of one language in a table: its tag, and its texts in the order of the
    /// properties.
    private init?(lines: [Substring]) {
        guard lines.count == 11, let language = LanguageTag(String(lines[0])) else { return nil }
        let words = lines.map { String($0) }
        self.language = language
        self.upgradeTitle = words[1]
        self.upgradeMessage = words[2]
        self.unidentifiedMessage = words[3]
        self.updateButton = words[4]
        self.recommendedTitle = words[5]
        self.recommendedMessage = words[6]
        self.cannotUpdateTitle = words[7]
        self.cannotUpdateMessage = words[8]
        self.maintenanceTitle = words[9]
        self.maintenanceMessage = words[10]
    }
}
