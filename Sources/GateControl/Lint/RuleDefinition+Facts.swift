internal import GatePolicy

extension RuleDefinition {
    /// What the stores have for clients of this rule on one platform.
    func releases(for platform: Platform, in definition: RuleSetDefinition) -> [Release] {
        definition.releases.filter { release in
            guard release.platform == platform else { return false }
            guard let apps = self.match.apps, let app = release.app else { return true }
            return apps.contains(app)
        }
    }

    /// Whether a client with this release would pass.
    func accepts(_ release: Release) -> Bool {
        // Whoever writes a pre-release into a floor means the order of pre-releases.
        let isStrict =
            self.prerelease == .strict || self.minimum.map { $0 != $0.release } ?? false
        let version = isStrict ? release.version : release.version.release
        if let minimum, version < minimum { return false }
        if let minimumBuild, release.build.map({ $0 < minimumBuild }) ?? true { return false }
        return !self.blocked.contains { $0.contains(version) }
    }

    /// Whether it can deny because of the version or the build.
    var hasFloor: Bool {
        self.minimum != nil || self.minimumBuild != nil || !self.blocked.isEmpty
    }
}
