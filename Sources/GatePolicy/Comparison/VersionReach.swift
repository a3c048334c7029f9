/// Whether clients can update their way past rules.
package enum VersionReach: Sendable, Equatable {
    /// The newest versions pass.
    case open
    /// From some version on nothing passes.
    case closedAbove
    /// No version passes at all.
    case closed

    /// How far the versions go that these rules let pass together.
    package init(of rules: [RuleDefinition]) {
        // Builds that are blocked from some number on leave a version no build to go to.
        let endless = rules.flatMap(\.blockedBuilds).filter(\.builds.hasNoEnd)
        guard endless.allSatisfy({ $0.versions != nil }) else {
            self = .closedAbove
            return
        }
        var rules = rules
        rules.append(RuleDefinition(id: "", blocked: endless.compactMap(\.versions)))
        let axis = VersionAxis(
            cuts: rules.flatMap { [$0.minimum].compactMap { $0 } + $0.blocked.flatMap(\.bounds) }
        )
        let passing = axis.points.map { point in rules.allSatisfy { $0.admits(point.version) } }
        guard passing.contains(true) else {
            self = .closed
            return
        }
        self = passing.last == true ? .open : .closedAbove
    }
}
