/// Builds that are denied, regardless of the minimum.
package struct BlockedBuilds: Sendable, Hashable {
    /// The versions of the builds, for build numbers that restart with each version.
    ///
    /// `nil` means all versions.
    package let versions: VersionRange?
    /// The build numbers; `nil` if clients are denied regardless of their build, even if they send
    /// none.
    package let builds: BuildRange?
    /// The required notation of the client's version and build.
    package let written: WrittenForm

    package init(
        _ builds: BuildRange?,
        of versions: VersionRange? = nil,
        written: WrittenForm = .any
    ) {
        self.versions = versions
        self.builds = builds
        self.written = written
    }

    package var dependsOnVersion: Bool {
        self.versions != nil || !self.written.version.isEmpty
    }

    package var dependsOnBuild: Bool { self.builds != nil || !self.written.build.isEmpty }

    /// Whether builds of a version are blocked without an upper limit.
    func isEndless(for version: AppVersion) -> Bool {
        guard self.versions?.contains(version) ?? true, self.builds?.isUnbounded ?? true else {
            return false
        }
        // Numbers of several lengths represent all builds, because the notation may depend on the
        // length.
        return [BuildNumber.max, 1_234_567_890, 999_999, 70_000, 5_000].allSatisfy { build in
            self.written.fits(version, self.dependsOnBuild ? build : nil)
        }
    }
}

/// The required notation of a client's version and build.
package struct WrittenForm: Sendable, Hashable {
    /// Patterns that a version or build must match, or must not match.
    package struct Patterns: Sendable, Hashable {
        /// The patterns that must all match.
        package var all: [WrittenPattern]
        /// The patterns that must not match.
        package var none: [WrittenPattern]

        package init(all: [WrittenPattern] = [], none: [WrittenPattern] = []) {
            self.all = all
            self.none = none
        }

        package var isEmpty: Bool { self.all.isEmpty && self.none.isEmpty }

        fileprivate func fit(_ text: String) -> Bool {
            self.all.allSatisfy { $0.matches(text) } && !self.none.contains { $0.matches(text) }
        }
    }

    package static let any = WrittenForm()

    package var version: Patterns
    package var build: Patterns

    package init(version: Patterns = Patterns(), build: Patterns = Patterns()) {
        self.version = version
        self.build = build
    }

    package var isAny: Bool { self.version.isEmpty && self.build.isEmpty }

    /// Whether a client uses this notation; false if a required version or build is missing.
    ///
    /// Patterns are matched against `AppVersion.description` and `BuildNumber.description`.
    func fits(_ version: AppVersion?, _ build: BuildNumber?) -> Bool {
        if !self.version.isEmpty {
            guard let version, self.version.fit(version.description) else { return false }
        }
        if !self.build.isEmpty {
            guard let build, self.build.fit(build.description) else { return false }
        }
        return true
    }

    /// The keys in the rules file, with their patterns.
    package var keys: [(key: String, patterns: [WrittenPattern])] {
        [
            ("versionMatches", self.version.all), ("versionMatchesNone", self.version.none),
            ("buildMatches", self.build.all), ("buildMatchesNone", self.build.none),
        ].filter { !$0.1.isEmpty }
    }
}

extension BlockedBuilds: CustomStringConvertible {
    package var description: String {
        let numbers = self.builds.map { [$0.description] } ?? []
        let versions = self.versions.map { ["of \($0)"] } ?? []
        let forms = self.written.keys.map { key, patterns in
            "\(key) \(patterns.map(\.description).joined(separator: " and "))"
        }
        return ([(numbers + versions).joined(separator: " ")] + forms)
            .filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

extension RuleDefinition {
    /// Whether the floor of the rule depends on builds.
    var floorDependsOnBuild: Bool {
        self.minimumBuild != nil || self.blockedBuilds.contains(where: \.dependsOnBuild)
    }

    /// Whether the rule depends on builds.
    package var dependsOnBuild: Bool { self.floorDependsOnBuild || self.recommendedBuild != nil }

    /// Whether the rule depends on the notation of a client's version or build.
    var dependsOnNotation: Bool { self.blockedBuilds.contains { !$0.written.isAny } }

    /// The builds at which the decision of the rule can change.
    package var buildCuts: [BuildNumber] {
        [self.minimumBuild, self.recommendedBuild].compactMap { $0 }
            + self.blockedBuilds.compactMap(\.builds).flatMap(\.bounds)
            + (self.route?.builds ?? []).flatMap(\.bounds)
    }
}

extension RuleSetDefinition {
    /// The blocked builds with a required notation, grouped by rule; rules that have none are
    /// omitted.
    var notationConditions: [[BlockedBuilds]] {
        self.rulesWithNext.map { $0.blockedBuilds.filter { !$0.written.isAny } }
            .filter { !$0.isEmpty }
    }
}
