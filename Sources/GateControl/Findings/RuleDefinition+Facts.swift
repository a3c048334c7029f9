internal import GatePolicy

extension RuleDefinition {
    /// The releases of one platform that are for clients of this rule.
    func releases(among releases: [Release]) -> [Release] {
        releases.filter { release in
            guard let apps = self.match.apps, let app = release.app else { return true }
            return apps.contains(app)
        }
    }
}
