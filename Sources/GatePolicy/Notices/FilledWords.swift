/// The words of a notice as one client reads them.
struct FilledWords {
    let language: LanguageTag
    let title: String
    let message: String
    let button: String?

    /// Fills the words of a notice.
    ///
    /// A text with a place of which nothing is known would read badly; the gate's own words stand in
    /// for it, which have no places.
    ///
    /// - Parameters:
    ///   - text: The words.
    ///   - builtIn: The gate's own words for the same decision, in the same language; `nil` where it
    ///     has none in that language.
    ///   - language: That of both.
    ///   - values: What is known.
    init(
        _ text: NoticeText,
        or builtIn: NoticeText?,
        in language: LanguageTag,
        with values: [NoticePlaceholder: String]
    ) {
        func filled(_ template: NoticeTemplate, or standIn: NoticeTemplate?) -> String {
            let isKnown = standIn == nil || template.places.allSatisfy { values[$0] != nil }
            return (isKnown ? template : standIn ?? template).filled(with: values)
        }
        self.language = language
        self.title = filled(text.title, or: builtIn?.title)
        self.message = filled(text.message, or: builtIn?.message)
        self.button = text.button.map { filled($0, or: builtIn?.button) }
    }

    /// The values of the placeholders in a notice.
    static func values(
        _ upgrade: UpgradeTerms,
        _ identity: ClientIdentity
    ) -> [NoticePlaceholder: String] {
        var values: [NoticePlaceholder: String] = [:]
        values[.currentVersion] = identity.version.value?.description
        values[.minimumVersion] = (upgrade.minimum ?? upgrade.latest)?.description
        values[.latestVersion] = (upgrade.latest ?? upgrade.minimum)?.description
        values[.latestBuild] = (upgrade.latestBuild ?? upgrade.minimumBuild)?.description
        values[.minimumBuild] = upgrade.minimumBuild?.description
        values[.platform] = identity.platform.value?.name
        values[.app] = identity.app.value
        return values
    }
}
