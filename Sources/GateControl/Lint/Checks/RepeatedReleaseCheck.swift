internal import GatePolicy

/// Finds releases that are said twice.
struct RepeatedReleaseCheck: LintCheck {
    /// What one release is known by; two builds of one version are two releases.
    private struct Key: Hashable {
        let app: String?
        let platform: Platform
        let channel: String?
        let version: AppVersion
        let build: UInt64?
    }

    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        var places: [Key: Place] = [:]
        for (release, place) in zip(rules.definition.releases, rules.places.releases) {
            let key = Key(
                app: release.app,
                platform: release.platform,
                channel: release.channel,
                version: release.version,
                build: release.build
            )
            guard let first = places[key] else {
                places[key] = place
                continue
            }
            let message = "the release \(release.version) for \(release.platform) is already in"
            problems.report("\(message) \(first)", at: place)
        }
    }
}
