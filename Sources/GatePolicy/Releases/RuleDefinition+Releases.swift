extension RuleDefinition {
    /// Whether all clients with this release pass, regardless of their build.
    ///
    /// The result is false if the rule requires a value that the release does not state.
    package func admits(_ release: StoreRelease) -> Bool {
        let version = release.version
        guard version != nil || !self.floorDependsOnVersion else { return false }
        let hasBuild =
            self.minimumBuild == nil || !release.builds.isEmpty
            || !self.counts(buildsOf: version, version?.release)
        guard hasBuild else { return false }
        return release.builds.isEmpty
            ? self.admits(version)
            : self.refusedBuilds(of: release).isEmpty
    }

    /// Returns the builds of a release that the rule denies, in ascending order.
    package func refusedBuilds(of release: StoreRelease) -> [BuildNumber] {
        release.builds.filter { !self.admits(release.version, build: $0) }
    }

    /// Returns a description of the builds of a release that the rule denies.
    ///
    /// Returns `nil` if the rule denies all builds or none.
    package func refusedPart(of release: StoreRelease) -> (words: String, isSingle: Bool)? {
        let refused = self.refusedBuilds(of: release)
        guard !refused.isEmpty, refused.count < release.builds.count else { return nil }
        let version = release.version.map { " of \($0)" } ?? ""
        return (StoreRelease.words(for: refused) + version, refused.count == 1)
    }

    /// Whether every store that the rule waits for has a fully available release that passes the
    /// rule.
    package func isInEveryStore(_ facts: [Release], at now: Timestamp) -> Bool {
        guard let hold = self.holdUntilInStore else { return true }
        let releases = StoreRelease.releases(in: facts)
        return (self.match.platforms ?? []).allSatisfy { platform in
            releases.contains { release in
                release.platform == platform && self.admits(release)
                    && EffectiveFrom(of: release, hold).hasBegun(at: now)
            }
        }
    }
}
