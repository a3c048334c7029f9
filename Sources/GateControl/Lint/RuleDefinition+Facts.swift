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

    /// Whether it can deny because of the version or the build.
    var hasFloor: Bool {
        self.minimum != nil || self.minimumBuild != nil || !self.blocked.isEmpty
    }
}
