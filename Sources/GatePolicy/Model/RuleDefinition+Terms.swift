extension RuleDefinition {
    /// Whether a client that sends only this version and build passes.
    package func admits(_ version: AppVersion?, build: BuildNumber? = nil) -> Bool {
        self.breach(by: version, version?.release, build: build) == nil
    }

    /// Whether the floor of the rule depends on versions.
    package var floorDependsOnVersion: Bool {
        self.minimum != nil || self.minimumBuildOf != nil || !self.blocked.isEmpty
            || self.blockedBuilds.contains(where: \.dependsOnVersion)
    }

    /// Returns the reason why a version and build are below the floor.
    ///
    /// Returns `nil` if they are not below the floor, or if the value to compare is unknown.
    /// `release` is the release that a pre-release precedes, or the version itself.
    func breach(
        by version: AppVersion?,
        _ release: AppVersion?,
        build: BuildNumber?
    ) -> Decision.Reason? {
        if let version {
            let release = release ?? version
            if let range = self.blockedRange(of: version, release) { return .blocked(range) }
            if self.isBelow(self.minimum, version, release) { return .belowMinimum }
        }
        if let minimum = self.minimumBuild, let build, build < minimum,
            self.counts(buildsOf: version, release)
        {
            return .belowMinimumBuild
        }
        return self.blocked(build, of: version, release).map { .blockedBuild($0) }
    }

    /// Whether `minimumBuild` applies to the builds of a version.
    ///
    /// A `minimumBuild` for only one version does not apply to clients without a version.
    func counts(buildsOf version: AppVersion?, _ release: AppVersion?) -> Bool {
        guard let only = self.minimumBuildOf else { return true }
        guard let version else { return false }
        return self.judged(version, release ?? version, isPrerelease: !only.prerelease.isEmpty)
            == only
    }

    /// Returns the first entry that blocks a build; `nil` if no entry does.
    ///
    /// An entry with `versions` never blocks a client without a version.
    private func blocked(
        _ build: BuildNumber?,
        of version: AppVersion?,
        _ release: AppVersion?
    ) -> BlockedBuilds? {
        self.blockedBuilds.first { blocked in
            if let builds = blocked.builds {
                guard let build, builds.contains(build) else { return false }
            }
            if let versions = blocked.versions {
                guard let version, self.contains(versions, version, release ?? version) else {
                    return false
                }
            }
            return blocked.written.fits(version, build)
        }
    }

    /// Returns the first range that blocks a version; `nil` if no range does.
    func blockedRange(of version: AppVersion, _ release: AppVersion) -> VersionRange? {
        self.blocked.first { self.contains($0, version, release) }
    }

    func contains(_ range: VersionRange, _ version: AppVersion, _ release: AppVersion) -> Bool {
        range.contains(self.judged(version, release, isPrerelease: range.namesPrerelease))
    }

    func isBelow(_ floor: AppVersion?, _ version: AppVersion, _ release: AppVersion) -> Bool {
        guard let floor else { return false }
        return self.judged(version, release, isPrerelease: !floor.prerelease.isEmpty) < floor
    }

    /// Returns the version to compare with a floor or a range: either `version` or `release`.
    ///
    /// If the floor or range contains a pre-release (`isPrerelease`), `version` is compared,
    /// regardless of the policy.
    private func judged(
        _ version: AppVersion,
        _ release: AppVersion,
        isPrerelease: Bool
    ) -> AppVersion {
        switch self.prerelease {
        case .asRelease: isPrerelease ? version : release
        case .strict: version
        }
    }
}
