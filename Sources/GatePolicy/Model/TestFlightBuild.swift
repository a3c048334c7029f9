/// The people who may have a build of an app before the App Store does.
package enum TestAudience: String, Sendable, CaseIterable {
    /// The team's own testers alone: the build can never be given to anybody else.
    case `internal`
    /// Everybody who was invited: the build could be released as it is.
    case external

    /// In which words clients are told of an audience.
    package enum Words: String, Sendable, CaseIterable {
        /// `internal`, `external`.
        case own
        /// Those of the App Store Connect API (`BuildAudienceType`), for apps that already know them.
        case appStoreConnect
    }

    package func word(in words: Words) -> String {
        switch (words, self) {
        case (.own, _): self.rawValue
        case (.appStoreConnect, .internal): "INTERNAL_ONLY"
        case (.appStoreConnect, .external): "APP_STORE_ELIGIBLE"
        }
    }

    /// The channel by which a client says that it has a build of this audience.
    package var channel: String { "testflight-\(self.rawValue)" }
}

/// One build that testers have or had, as the place where it was uploaded to knows it.
package struct TestFlightBuild: Sendable, Equatable {
    /// The version that people see.
    package var version: AppVersion
    /// The number of the build (`CFBundleVersion`), which may have dots.
    package var build: AppVersion
    package var audience: TestAudience
    /// Whether its testers can install it.
    package var isTesting: Bool
    /// From when on it starts no more; `nil`: never, as far as is known.
    package var expiresAt: Timestamp?
    /// The notes for its testers, by language.
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

    /// The notes for a tester who reads these languages, best first.
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

/// The builds of one app on one platform.
package struct TestFlightApp: Sendable, Equatable {
    /// The app identifier; `nil` for the only app of the rules.
    package var app: String?
    package var platform: Platform
    /// The feed that says so, whose age is that of what it says; `nil` for what is written by hand.
    package var feed: String?
    /// The words of the answers.
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

    /// The newest build that an audience can install: by the version, and then by the build.
    package func latest(_ audience: TestAudience, at now: Timestamp) -> TestFlightBuild? {
        self.builds.filter { $0.audience == audience && $0.isInstallable(at: now) }
            .max { $0.precedes($1) }
    }

    /// The audience of a version; `nil` if nobody knows, or if builds of both audiences are meant.
    package func audience(ofVersion version: AppVersion, build: AppVersion?) -> TestAudience? {
        let meant = self.builds.filter { known in
            known.version == version && build.map { $0 == known.build } ?? true
        }
        guard let first = meant.first?.audience else { return nil }
        return meant.allSatisfy { $0.audience == first } ? first : nil
    }
}
