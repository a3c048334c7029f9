/// Two rule sets, reduced to the rules that may match the clients of a cell.
///
/// With these rule sets, the cost of a decision does not depend on the total number of rules.
struct ComparedView {
    /// The rules of a view, as indices into the `candidates` of the comparison space.
    struct Key: Hashable {
        var rules: [Int] = []
        /// The indices of the rules whose floors can determine the decision.
        var floors: [Int] = []

        init(_ cell: ComparedCell, in world: ComparisonSpace) {
            for (index, candidate) in world.candidates.enumerated() {
                let fit = world.fit(of: candidate.rule.match, to: cell)
                guard fit != .none else { continue }
                self.rules.append(index)
                // Even if a match is uncertain, the state of the store can depend on the client's
                // version, and so can a rejection of the client.
                let isHeld = candidate.rule.withNext.contains { $0.holdUntilInStore != nil }
                if fit == .certain || isHeld || world.rejects { self.floors.append(index) }
            }
        }
    }

    let old: RuleSet
    let new: RuleSet
    let versions: VersionAxis
    let devices: ComparedDevices

    init(
        _ key: Key,
        in world: ComparisonSpace,
        old: RuleSetDefinition,
        new: RuleSetDefinition
    ) {
        let candidates = key.rules.map { world.candidates[$0] }
        func ruleSet(_ definition: RuleSetDefinition, isOld: Bool) -> RuleSet {
            var definition = definition
            definition.rules = candidates.filter { $0.isOld == isOld }.map(\.rule)
            // These parts are not needed: `ComparedAnswers` compares notices, exemptions are looked
            // up in the complete rule set, and tests do not affect decisions.
            definition.notices = [:]
            definition.exemptions = []
            definition.tests = []
            return RuleSet(definition)
        }
        self.old = ruleSet(old, isOld: true)
        self.new = ruleSet(new, isOld: false)
        self.devices = ComparedDevices(candidates.flatMap(\.rule.withNext))
        let rules = key.floors.flatMap { world.candidates[$0].rule.withNext }
        let releases =
            rules.contains(where: \.dependsOnStores)
            ? (old.releases + new.releases).compactMap(\.version) : []
        self.versions = VersionAxis(cuts: rules.flatMap(\.cuts) + releases)
    }
}

extension RuleDefinition {
    /// The versions at which the decision of the rule can change.
    var cuts: [AppVersion] {
        let cuts =
            [self.minimum, self.minimumBuildOf, self.recommended].compactMap { $0 }
            + (self.blocked + self.blockedBuilds.compactMap(\.versions)).flatMap(\.bounds)
            + (self.route?.versions ?? []).flatMap(\.bounds)
        // Only `strict` distinguishes a pre-release from its release.
        return self.prerelease == .strict ? cuts + cuts.compactMap(\.lowestPrerelease) : cuts
    }
}
