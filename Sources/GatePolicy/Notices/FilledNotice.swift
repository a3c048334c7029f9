/// The texts of a notice for one client, with the placeholders replaced.
struct FilledNotice {
    let language: LanguageTag
    let title: String
    let message: String
    let button: String?

    /// Replaces the placeholders in a notice.
    ///
    /// A text with an unknown value would be hard to read, and is replaced by the built-in text for
    /// the same decision in the same language, if there is one. Built-in texts have no
    /// placeholders.
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

    /// Returns the known values of the placeholders in a notice.
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
