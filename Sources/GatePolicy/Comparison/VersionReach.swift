/// Whether a client can update its way past a rule.
package enum VersionReach: Sendable, Equatable {
    /// The newest versions pass.
    case open
    /// From some version on nothing passes, and no floor says that old ones must go there.
    case closedAbove
    /// No version passes at all.
    case closed
}

extension RuleDefinition {
    /// How far the versions that the rule asks for go.
    package var reach: VersionReach {
        let axis = VersionAxis(
            cuts: [self.minimum].compactMap { $0 } + self.blocked.flatMap(\.bounds)
        )
        let passing = axis.points.map { point in
            self.breach(by: point.version, point.version.release, build: nil) == nil
        }
        guard passing.contains(true) else { return .closed }
        return passing.last == true || self.minimum != nil ? .open : .closedAbove
    }
}
