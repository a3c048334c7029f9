extension RuleDefinition {
    /// Whether each client with this release would pass, whichever of its builds it has.
    ///
    /// What the release does not state, and the rule has to know, may be anything.
    package func admits(_ release: StoreRelease) -> Bool {
        let version = release.version
        guard version != nil || !self.floorAsksVersion else { return false }
        let hasBuild =
            self.minimumBuild == nil || !release.builds.isEmpty
            || !self.counts(buildsOf: version, version?.release)
        guard hasBuild else { return false }
        return release.builds.isEmpty
            ? self.breach(by: version, version?.release, build: nil) == nil
            : self.refusedBuilds(of: release).isEmpty
    }

    /// The builds of a release that the rule refuses, the lowest first.
    package func refusedBuilds(of release: StoreRelease) -> [BuildNumber] {
        release.builds.filter { build in
            self.breach(by: release.version, release.version?.release, build: build) != nil
        }
    }

    /// The builds of a release that the rule refuses while others pass, in words; `nil` if it
    /// refuses all or none.
    package func refusedPart(of release: StoreRelease) -> (words: String, isSingle: Bool)? {
        let refused = self.refusedBuilds(of: release)
        guard !refused.isEmpty, refused.count < release.builds.count else { return nil }
        let version = release.version.map { " of \($0)" } ?? ""
        return (StoreRelease.words(for: refused) + version, refused.count == 1)
    }

    /// Whether every store that the rule waits for gives a release that passes it to everybody.
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
