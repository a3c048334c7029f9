/// A release as one rule looks at it.
struct ShelvedRelease: Sendable {
    let release: Release
    /// From when on the rule counts on it for a client of no known country, or of one that it does
    /// not wait for.
    private let everywhere: Onset
    /// The same for the clients of each country that it waits for.
    private let countries: [String: Onset]
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
        let hold = rule.holdUntilInStore
        self.everywhere = Onset(of: release, hold)
        let awaited = Set(release.countries == nil ? [] : release.countries(awaitedBy: hold))
        self.countries = Dictionary(
            uniqueKeysWithValues: awaited.map { ($0, Onset(of: release, hold, in: $0)) }
        )
        self.meetsFloor = rule.admits(release)
        self.meetsRecommendation = !rule.isBelow(rule.recommended, version, version.release)
    }

    /// From when on the rule counts on it for a client whose store is in this country; `nil` if
    /// that is not known.
    func availability(in country: String?) -> Onset {
        country.flatMap { self.countries[$0] } ?? self.everywhere
    }
}
