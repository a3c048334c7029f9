/// Builds that must upgrade whatever the lowest one is.
package struct BlockedBuilds: Sendable, Hashable {
    /// The versions whose builds they are, for numbers that begin anew with each version; `nil` for
    /// every version.
    package let versions: VersionRange?
    package let builds: BuildRange

    package init(_ builds: BuildRange, of versions: VersionRange? = nil) {
        self.versions = versions
        self.builds = builds
    }
}

extension BlockedBuilds: CustomStringConvertible {
    package var description: String {
        self.versions.map { "\(self.builds) of \($0)" } ?? self.builds.description
    }
}

extension RuleDefinition {
    /// Whether the rule looks at builds.
    package var asksBuild: Bool { self.minimumBuild != nil || !self.blockedBuilds.isEmpty }

    /// The builds at which the rule begins and ends to ask something.
    package var buildCuts: [UInt64] {
        [self.minimumBuild].compactMap { $0 } + self.blockedBuilds.flatMap(\.builds.bounds)
    }
}
