/// The words of a notice as one client reads them.
struct FilledWords {
    let language: LanguageTag
    let title: String
    let message: String
    let button: String?

    init(
        _ text: NoticeText,
        in language: LanguageTag,
        with values: [NoticePlaceholder: String]
    ) {
        self.language = language
        self.title = text.title.filled(with: values)
        self.message = text.message.filled(with: values)
        self.button = text.button?.filled(with: values)
    }

    /// What the words of a notice can say.
    static func values(
        _ remedy: Remedy,
        _ identity: ClientIdentity
    ) -> [NoticePlaceholder: String] {
        var values: [NoticePlaceholder: String] = [:]
        values[.currentVersion] = identity.version.value?.description
        values[.minimumVersion] = (remedy.minimum ?? remedy.latest)?.description
        values[.latestVersion] = (remedy.latest ?? remedy.minimum)?.description
        values[.minimumBuild] = remedy.minimumBuild.map { String($0) }
        values[.platform] = identity.platform.value?.name
        values[.app] = identity.app.value
        return values
    }
}
