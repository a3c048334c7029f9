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
        let builds = rules.flatMap(\.blockedBuilds)
        let axis = VersionAxis(
            cuts: rules.flatMap { [$0.minimum].compactMap { $0 } + $0.blocked.flatMap(\.bounds) }
                + builds.compactMap(\.versions).flatMap(\.bounds)
        )
        let passing = axis.points.filter { point in rules.allSatisfy { $0.admits(point.version) } }
        guard !passing.isEmpty else {
            self = .closed
            return
        }
        // Builds that are blocked from some number on leave a version no build to go to.
        let highest = axis.points.last?.version
        let isOpen = passing.last.map { last in
            last.version == highest && !builds.contains { $0.isEndless(for: last.version) }
        }
        self = isOpen == true ? .open : .closedAbove
    }
}
