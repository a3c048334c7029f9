/// One version of an app that a store has, or will have: a fact that a rule can wait for.
///
/// Several facts may state one version: see `StoreRelease`. Facts come from feeds or are written in the rules file; none of them says what anybody must do.
package struct Release: Sendable, Equatable {
    /// The app identifier; `nil` for the only app of the rules.
    package var app: String?
    package var platform: Platform
    /// The channel whose store this is, lower case; `nil` for every channel without facts of its
    /// own.
    package var channel: String?
    /// The version; `nil` if the source does not state one for certain, and then there are builds.
    package var version: AppVersion?
    /// All builds of it, the lowest first; empty if the source states none.
    ///
    /// A store can have one for each kind of processor.
    package var builds: [BuildNumber]
    /// Since when the store has it; `nil` for always.
    package var releasedAt: Timestamp?
    /// By lower-case country code (ISO 3166-1 alpha-2), since when it is there, with `nil` for the
    /// time of the release; `nil` in place of the dictionary: it is in every country.
    package var countries: [String: Timestamp?]?
    /// All countries whose stores the source of the fact looks at, as lower-case codes; `nil` if it
    /// does not say that.
    ///
    /// One of them that is not in `countries` does not have the release.
    package var storeCountries: [String]?
    /// When it is for everybody, if the store hands it out in steps: a phased release of the App
    /// Store takes seven days, a staged roll-out of Google Play as long as its owner wants.
    package var phase: ReleasePhase
    /// The link to it.
    package var storeURL: String?
    /// The lowest version of the system that it runs on; `nil` if nobody says it.
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

/// How far a store has got with handing out a release.
package enum ReleasePhase: Sendable, Equatable {
    /// Everybody gets it.
    case complete
    /// It is handed out in steps, and everybody gets it from that time on.
    case phased(completeAt: Timestamp)
    /// It is handed out in steps, or halted, and nobody knows when everybody gets it.
    case partial
}

/// The condition that a rule waits for before it asks anything of anybody.
package struct StoreHold: Sendable, Equatable {
    /// The countries that must have the release, as lower-case codes; empty for all countries of
    /// the release: see `Release.countries(awaitedBy:)`.
    package var countries: [String]
    /// How long it must have been there, in seconds.
    package var soak: Int64

    package init(countries: [String] = [], soak: Int64 = 0) {
        self.countries = countries
        self.soak = soak
    }
}
