/// Whether clients can pass rules by updating.
package enum VersionReach: Sendable, Equatable {
    /// The newest versions pass.
    case open
    /// All versions above a certain version are denied.
    case closedAbove
    /// No version passes.
    case closed

    /// Determines the result for several rules that are evaluated together.
    package init(of rules: [RuleDefinition]) {
        let builds = rules.flatMap(\.blockedBuilds)
        let axis = VersionAxis(
            cuts: rules.flatMap { [$0.minimum].compactMap { $0 } + $0.blocked.flatMap(\.bounds) }
                + builds.compactMap(\.versions).flatMap(\.bounds)
        )
        let passing = axis.points.filter { point in rules.allSatisfy { $0.admits(point.version) } }
        guard let last = passing.last?.version else {
            self = .closed
            return
        }
        // If builds of the highest version are blocked without an upper limit, the newest builds of
        // that version are denied.
        let isHighest = last == axis.points.last?.version
        self = isHighest && !builds.contains { $0.isEndless(for: last) } ? .open : .closedAbove
    }
}
