/// What a text of the gate can say about the client, its update and the decision.
enum NoticePlaceholder: String, Sendable, CaseIterable {
    case currentVersion, minimumVersion, latestVersion, minimumBuild, platform, app
    case title, message, button, storeUrl, status, decision, rule, revision

    /// Those that the words of a notice can use; the others are known only where the words are.
    static let inNotices: [NoticePlaceholder] = [
        .currentVersion, .minimumVersion, .latestVersion, .minimumBuild, .platform, .app,
    ]

    /// Whether the value is a number in JSON.
    var isNumber: Bool { self == .minimumBuild || self == .status }
}
