/// A version of an app that a store has or will have, and that a rule can wait for.
///
/// Several entries can describe the same version (see `StoreRelease`). Entries come from feeds or
/// the rules file, and contain no requirements.
package struct Release: Sendable, Equatable {
    /// The app identifier; `nil`, for rules with only one app, matches every app.
    package var app: String?
    package var platform: Platform
    /// The channel of the store, in lower case.
    ///
    /// `nil` means all channels that have no entries of their own.
    package var channel: String?
    /// The version; `nil` if the source does not state it reliably.
    ///
    /// If the version is `nil`, `builds` is not empty.
    package var version: AppVersion?
    /// All builds of the version in ascending order; empty if the source states no builds.
    ///
    /// A store can have one build for each CPU architecture.
    package var builds: [BuildNumber]
    /// The time from which the store has the release; `nil` if the store has always had it.
    package var releasedAt: Timestamp?
    /// The time from which each country has the release, by lower-case country code (ISO 3166-1
    /// alpha-2).
    ///
    /// `nil` for a country means `releasedAt`. `nil` instead of the dictionary means all countries.
    package var countries: [String: Timestamp?]?
    /// All countries whose stores the source checks, as lower-case codes; `nil` if they are
    /// unknown.
    ///
    /// The store of a country that is listed here but not in `countries` does not have the release.
    package var storeCountries: [String]?
    /// The progress of a phased or staged release.
    ///
    /// A phased release in the App Store takes seven days. A staged release on Google Play takes as
    /// long as the developer chooses.
    package var phase: ReleasePhase
    package var storeURL: String?
    /// The lowest OS version that the release supports; `nil` if it is unknown.
    package var minimumOS: AppVersion?

    package init(
        app: String? = nil,
        platform: Platform,
        channel: String? = nil,
        version: AppVersion?,
        builds: [BuildNumber] = [],
        releasedAt: Timestamp? = nil,
        countries: [String: Timestamp?]? = nil,
        storeCountries: [String]? = nil,
        phase: ReleasePhase = .complete,
        storeURL: String? = nil,
        minimumOS: AppVersion? = nil
    ) {
        self.app = app
        self.platform = platform
        self.channel = channel
        self.version = version
        self.builds = Set(builds).sorted()
        self.releasedAt = releasedAt
        self.countries = countries
        self.storeCountries = storeCountries
        self.phase = phase
        self.storeURL = storeURL
        self.minimumOS = minimumOS
    }
}

/// The progress of a release in a store.
package enum ReleasePhase: Sendable, Equatable {
    /// The release is available to all users.
    case complete
    /// The store is releasing the version in phases. The version is available to all users from
    /// the given time.
    case phased(completeAt: Timestamp)
    /// The store is releasing the version in phases or has halted the release, and the completion
    /// time is unknown.
    case partial
}

/// The availability in stores that a rule waits for before it takes effect.
package struct StoreHold: Sendable, Equatable {
    /// The countries that must have the release, as lower-case codes.
    ///
    /// An empty list means all countries of the release (see `Release.countries(awaitedBy:)`).
    package var countries: [String]
    /// The time for which the release must have been available, in seconds.
    package var soak: Int64

    package init(countries: [String] = [], soak: Int64 = 0) {
        self.countries = countries
        self.soak = soak
    }
}
