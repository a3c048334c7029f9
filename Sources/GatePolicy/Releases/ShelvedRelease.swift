/// A release as one rule looks at it.
struct ShelvedRelease: Sendable {
    let release: Release
    /// From when on the rule counts on it.
    let availability: Onset
    /// Whether a client that has it has nothing to fear of the rule.
    let meetsFloor: Bool
    /// Whether it is what the rule recommends, or newer.
    let meetsRecommendation: Bool

    /// Takes a release off a rule's list of facts; `nil` for one that the rule blocks, which is no
    /// way out for anybody.
    init?(_ release: Release, _ rule: RuleDefinition) {
        let version = release.version
        guard rule.blockedRange(of: version, version.release) == nil else { return nil }
        self.release = release
        self.availability = Onset(of: release, rule.holdUntilInStore)
        self.meetsFloor = rule.admits(release)
        self.meetsRecommendation = !rule.isBelow(rule.recommended, version, version.release)
    }
}
