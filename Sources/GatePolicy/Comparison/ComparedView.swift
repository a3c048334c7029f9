/// Two rule sets as one cell sees them: only the rules that can be for its clients, which makes a
/// decision cheap however many others there are.
struct ComparedView {
    /// The rules of a view, by their places among the candidates.
    struct Key: Hashable {
        var rules: [Int] = []
        /// Those of them of which it is certain.
        var certain: [Int] = []

        init(_ cell: ComparedCell, in world: ComparedWorld) {
            for (index, candidate) in world.candidates.enumerated() {
                let fit = world.fit(of: candidate.rule.match, to: cell)
                guard fit != .none else { continue }
                self.rules.append(index)
                // The content of stores can depend on the version of a client that says too little.
                let isHeld = candidate.rule.withNext.contains { $0.holdUntilInStore != nil }
                if fit == .certain || isHeld { self.certain.append(index) }
            }
        }
    }

    let old: RuleSet
    let new: RuleSet
    let versions: VersionAxis
    let devices: ComparedDevices

    init(
        _ key: Key,
        in world: ComparedWorld,
        old: RuleSetDefinition,
        new: RuleSetDefinition
    ) {
        let candidates = key.rules.map { world.candidates[$0] }
        func ruleSet(_ definition: RuleSetDefinition, isOld: Bool) -> RuleSet {
            var definition = definition
            definition.rules = candidates.filter { $0.isOld == isOld }.map(\.rule)
            // Words make no difference, and exemptions are looked up in the whole.
            definition.notices = [:]
            definition.exemptions = []
            definition.tests = []
            return RuleSet(definition)
        }
        self.old = ruleSet(old, isOld: true)
        self.new = ruleSet(new, isOld: false)
        self.devices = ComparedDevices(candidates.flatMap(\.rule.withNext))
        let rules = key.certain.flatMap { world.candidates[$0].rule.withNext }
        let releases =
            rules.contains(where: \.looksAtStores)
            ? (old.releases + new.releases).compactMap(\.version) : []
        self.versions = VersionAxis(cuts: rules.flatMap(\.cuts) + releases)
    }
}

extension RuleDefinition {
    /// The versions at which the rule begins and ends to ask something.
    var cuts: [AppVersion] {
        let cuts =
            [self.minimum, self.minimumBuildOf, self.recommended].compactMap { $0 }
            + (self.blocked + self.blockedBuilds.compactMap(\.versions)).flatMap(\.bounds)
        // Only here is a pre-release another version than the release that it leads to.
        return self.prerelease == .strict ? cuts + cuts.compactMap(\.lowestPrerelease) : cuts
    }
}
