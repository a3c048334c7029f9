/// The testers who can install a build of an app before it is in the App Store.
package enum TestAudience: String, Sendable, CaseIterable {
    /// The testers of the team, for a build that can never be released to anyone else.
    case `internal`
    /// All invited testers, for a build that can be released without changes.
    case external

    /// The naming scheme for audiences in responses.
    package enum Words: String, Sendable, CaseIterable {
        /// The names `internal` and `external`.
        case own
        /// The names in the App Store Connect API (`BuildAudienceType`), for apps that already use
        /// these names.
        case appStoreConnect
    }

    package func word(in words: Words) -> String {
        switch (words, self) {
        case (.own, _): self.rawValue
        case (.appStoreConnect, .internal): "INTERNAL_ONLY"
        case (.appStoreConnect, .external): "APP_STORE_ELIGIBLE"
        }
    }

    /// The channel that clients with a build for this audience send.
    package var channel: String { "testflight-\(self.rawValue)" }
}

/// A build that testers have or had, according to the service to which it was uploaded.
package struct TestFlightBuild: Sendable, Equatable {
    /// The version that users see.
    package var version: AppVersion
    /// The build number (`CFBundleVersion`), which may contain dots.
    package var build: AppVersion
    package var audience: TestAudience
    /// Whether testers can install the build.
    package var isTesting: Bool
    /// The time from which the build can no longer be launched; `nil` if that time is unknown.
    package var expiresAt: Timestamp?
    /// The release notes for testers, by language.
    package var releaseNotes: [LanguageTag: String]

    package init(
        version: AppVersion,
        build: AppVersion,
        audience: TestAudience,
        isTesting: Bool = true,
        expiresAt: Timestamp? = nil,
        releaseNotes: [LanguageTag: String] = [:]
    ) {
        self.version = version
        self.build = build
        self.audience = audience
        self.isTesting = isTesting
        self.expiresAt = expiresAt
        self.releaseNotes = releaseNotes
    }

    /// Returns the release notes in the best language for a tester; `nil` if there are none.
    func releaseNotes(for languages: [LanguageRange], fallback: LanguageTag) -> String? {
        let lookup = LanguageLookup(available: self.releaseNotes.keys, fallback: fallback)
        return lookup.best(for: languages).flatMap { self.releaseNotes[$0] }
    }

    package func precedes(_ other: TestFlightBuild) -> Bool {
        (self.version, self.build) < (other.version, other.build)
    }

    func isInstallable(at now: Timestamp) -> Bool {
        self.isTesting && self.expiresAt.map { now < $0 } ?? true
    }
}

/// The builds of an app on a platform.
package struct TestFlightApp: Sendable, Equatable {
    /// The app identifier; `nil`, for rules with only one app, matches every app.
    package var app: String?
    package var platform: Platform
    /// The feed that the builds come from; `nil` if they are in the rules file.
    ///
    /// The last confirmation by the feed determines how current the builds are.
    package var feed: String?
    /// The naming scheme for audiences in responses.
    package var words: TestAudience.Words
    package var builds: [TestFlightBuild]

    package init(
        app: String? = nil,
        platform: Platform,
        feed: String? = nil,
        words: TestAudience.Words = .own,
        builds: [TestFlightBuild]
    ) {
        self.app = app
        self.platform = platform
        self.feed = feed
        self.words = words
        self.builds = builds
    }

    /// Returns the newest build that an audience can install, by version and then by build; `nil`
    /// if there is none.
    package func latest(_ audience: TestAudience, at now: Timestamp) -> TestFlightBuild? {
        self.builds.filter { $0.audience == audience && $0.isInstallable(at: now) }
            .max { $0.precedes($1) }
    }

    /// Returns the audience of a version.
    ///
    /// Returns `nil` if the version is unknown, or if builds for both audiences match.
    package func audience(ofVersion version: AppVersion, build: AppVersion?) -> TestAudience? {
        let meant = self.builds.filter { known in
            known.version == version && build.map { $0 == known.build } ?? true
        }
        let audiences = Set(meant.map(\.audience))
        return audiences.count == 1 ? audiences.first : nil
    }
}
