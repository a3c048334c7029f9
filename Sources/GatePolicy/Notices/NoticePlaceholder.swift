/// What a notice can say about the client and its update.
enum NoticePlaceholder: String, Sendable, CaseIterable {
    case currentVersion, minimumVersion, latestVersion, minimumBuild, platform, app
}
