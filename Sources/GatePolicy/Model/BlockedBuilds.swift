/// Builds that must upgrade whatever the lowest one is.
package struct BlockedBuilds: Sendable, Hashable {
    /// The versions whose builds they are, for numbers that begin anew with each version; `nil` for
    /// every version.
    package let versions: VersionRange?
    /// The numbers of the builds; `nil` for every build, also one that no client states.
    package let builds: BuildRange?
    /// How their versions and builds are written.
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

    package var asksVersion: Bool {
        self.versions != nil || !self.written.version.isEmpty
    }

    package var asksBuild: Bool { self.builds != nil || !self.written.build.isEmpty }

    /// Whether newer builds of a version can never leave it.
    func isEndless(for version: AppVersion) -> Bool {
        guard self.versions?.contains(version) ?? true, self.builds?.hasNoEnd ?? true else {
            return false
        }
        // Of what numbers look like, some of any length stand for all.
        return [BuildNumber.max, 1_234_567_890, 999_999, 70_000, 5_000].allSatisfy { build in
            self.written.fits(version, self.asksBuild ? build : nil)
        }
    }
}

/// How the version and the build of a client have to be written.
package struct WrittenForm: Sendable, Hashable {
    /// Patterns for one text.
    package struct Patterns: Sendable, Hashable {
        /// All of them match.
        package var all: [WrittenPattern]
        /// None of them matches.
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

    /// Whether a client is written so; one that does not state what is asked for is not.
    ///
    /// A version is looked at as `AppVersion.description` writes it.
    func fits(_ version: AppVersion?, _ build: BuildNumber?) -> Bool {
        if !self.version.isEmpty {
            guard let version, self.version.fit(version.description) else { return false }
        }
        if !self.build.isEmpty {
            guard let build, self.build.fit(build.description) else { return false }
        }
        return true
    }

    /// The keys of the rules file with their patterns.
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
    /// Whether the floor of the rule is about builds.
    var floorAsksBuild: Bool {
        self.minimumBuild != nil || self.blockedBuilds.contains(where: \.asksBuild)
    }

    /// Whether the rule looks at builds.
    package var asksBuild: Bool { self.floorAsksBuild || self.recommendedBuild != nil }

    /// Whether the rule looks at how a client writes its version or build.
    var asksForm: Bool { self.blockedBuilds.contains { !$0.written.isAny } }

    /// The builds at which the rule begins and ends to ask something.
    package var buildCuts: [BuildNumber] {
        [self.minimumBuild, self.recommendedBuild].compactMap { $0 }
            + self.blockedBuilds.compactMap(\.builds).flatMap(\.bounds)
    }
}

extension RuleSetDefinition {
    /// What the rules ask about how clients write their version or build.
    var askedForms: [[BlockedBuilds]] {
        self.rulesWithNext.map { $0.blockedBuilds.filter { !$0.written.isAny } }.filter {
            !$0.isEmpty
        }
    }
}
