/// One rule of the file: whom it is for, what it asks of them, and what it tells them.
package struct RuleDefinition: Sendable, Equatable {
    /// The name of the rule, unique in its rule set.
    package var id: String
    /// The clients and requests that the rule is for.
    package var match: RuleMatch
    /// Versions below it must upgrade.
    package var minimum: AppVersion?
    /// Builds below it must upgrade.
    package var minimumBuild: BuildNumber?
    /// The only version whose builds must reach `minimumBuild`, for numbers that begin anew with each
    /// version; `nil` for every version.
    package var minimumBuildOf: AppVersion?
    /// Versions below it pass, with a hint.
    package var recommended: AppVersion?
    /// Builds below it pass, with a hint.
    package var recommendedBuild: BuildNumber?
    /// Whether the newest version that the store has is recommended, too (`recommended: store`).
    package var recommendsStoreVersion: Bool
    /// Versions that must upgrade whatever the minimum is; one range of the list is enough.
    package var blocked: [VersionRange]
    /// Builds that must upgrade whatever `minimumBuild` is; one of the list is enough.
    package var blockedBuilds: [BlockedBuilds]
    /// How a pre-release of the floor itself is judged.
    package var prerelease: PrereleasePolicy
    /// The name of the notice that a denied client gets; `nil` for the built-in one.
    package var notice: String?
    /// The name of the notice that a client gets for whom an upgrade is only recommended; `nil` for
    /// the built-in one.
    package var recommendedNotice: String?
    /// The link to the client's update.
    package var storeURL: StoreURL?
    /// Whether the rule acts or only counts.
    package var mode: RuleMode
    /// From when and until when the rule is in force.
    package var schedule: RuleSchedule
    /// For how many of those below the floor it is enforced, by time; empty for everybody.
    package var rollout: [RolloutStep]
    /// When nobody that the rule matches is served.
    package var maintenance: MaintenanceWindow?
    /// The release that has to be in the store before the rule asks for it; `nil` to ask at once.
    package var holdUntilInStore: StoreHold?
    /// Operating systems that the update runs on, one range is enough; empty for all of them.
    ///
    /// A client that says it has another one cannot update: see `UpgradeTerms.cannotUpdate`.
    package var requiresOS: [VersionRange]
    /// How denials of this rule differ from those of the others.
    package var answer: AnswerStyle
    /// After how many seconds a client may remind its user of a recommendation again; `nil` for a
    /// day.
    package var snooze: Int64?
    /// The floors that the rule is going to have, beside the one that stands above: each as a whole
    /// rule of the same id and match.
    ///
    /// They only add: what is in force goes on until, client by client, one of these is stricter.
    package var next: [RuleDefinition]

    package init(
        id: String,
        match: RuleMatch = .anyone,
        minimum: AppVersion? = nil,
        minimumBuild: BuildNumber? = nil,
        minimumBuildOf: AppVersion? = nil,
        recommended: AppVersion? = nil,
        recommendedBuild: BuildNumber? = nil,
        recommendsStoreVersion: Bool = false,
        blocked: [VersionRange] = [],
        blockedBuilds: [BlockedBuilds] = [],
        prerelease: PrereleasePolicy = .asRelease,
        notice: String? = nil,
        recommendedNotice: String? = nil,
        storeURL: StoreURL? = nil,
        mode: RuleMode = .enforce,
        schedule: RuleSchedule = .always,
        rollout: [RolloutStep] = [],
        maintenance: MaintenanceWindow? = nil,
        holdUntilInStore: StoreHold? = nil,
        requiresOS: [VersionRange] = [],
        answer: AnswerStyle = .standard,
        snooze: Int64? = nil,
        next: [RuleDefinition] = []
    ) {
        self.id = id
        self.match = match
        self.minimum = minimum
        self.minimumBuild = minimumBuild
        self.minimumBuildOf = minimumBuildOf
        self.recommended = recommended
        self.recommendedBuild = recommendedBuild
        self.recommendsStoreVersion = recommendsStoreVersion
        self.blocked = blocked
        self.blockedBuilds = blockedBuilds
        self.prerelease = prerelease
        self.notice = notice
        self.recommendedNotice = recommendedNotice
        self.storeURL = storeURL
        self.mode = mode
        self.schedule = schedule
        self.rollout = rollout
        self.maintenance = maintenance
        self.holdUntilInStore = holdUntilInStore
        self.requiresOS = requiresOS
        self.answer = answer
        self.snooze = snooze
        self.next = next
    }
}

/// A version or a build to upgrade to, without being forced.
struct Recommendation: Sendable, Equatable {
    var version: AppVersion?
    var build: BuildNumber?

    static let none = Recommendation()

    var isEmpty: Bool { self.version == nil && self.build == nil }
}

extension RuleDefinition {
    /// The version and the build that the rule names; the store may have a newer one.
    var recommendation: Recommendation {
        Recommendation(version: self.recommended, build: self.recommendedBuild)
    }

    /// Whether the rule recommends anything, by itself or as the store has it.
    package var recommendsSomething: Bool {
        !self.recommendation.isEmpty || self.recommendsStoreVersion
    }

    /// The rule as it stands, and each of its `next`.
    package var withNext: [RuleDefinition] { [self] + self.next }
}

/// The clients that a rule is for; an absent part matches every client, an empty list none.
package struct RuleMatch: Sendable, Equatable {
    /// App identifiers (bundle id, package name), or patterns such as `com.example.*`.
    package var apps: [AppPattern]?
    package var platforms: [Platform]?
    /// Distribution channels (`fdroid`, `testflight` …), compared without case.
    package var channels: [String]?
    /// Ranges of the operating system's version; one is enough.
    package var osVersions: [VersionRange]?
    /// Requests by path and method; one is enough.
    package var requests: [RequestPattern]?

    /// Whether it is for an app; without a condition on apps it is.
    package func accepts(app: String) -> Bool {
        self.apps?.contains { $0.matches(app) } ?? true
    }

    package static let anyone = RuleMatch()

    package init(
        apps: [AppPattern]? = nil,
        platforms: [Platform]? = nil,
        channels: [String]? = nil,
        osVersions: [VersionRange]? = nil,
        requests: [RequestPattern]? = nil
    ) {
        self.apps = apps
        self.platforms = platforms
        self.channels = channels
        self.osVersions = osVersions
        self.requests = requests
    }
}

/// How a pre-release of the floor itself is judged: `2.0.0-rc.1` against a minimum of `2.0.0`.
package enum PrereleasePolicy: String, Sendable, Equatable, CaseIterable {
    /// It counts as the release that it leads to, so that testers are not locked out.
    case asRelease
    /// It is older than the release, as SemVer 2 orders it.
    case strict
}

/// Whether a rule acts on what it decides.
package enum RuleMode: String, Sendable, Equatable, CaseIterable {
    case enforce
    /// The decision is counted and logged; the request passes.
    case observe
}

/// The link to a client's update, by the channel that it came from, and else by its country.
package struct StoreURL: Sendable, Equatable {
    package var `default`: String
    /// By lower-case channel.
    package var channels: [String: String]
    /// By lower-case country code (ISO 3166-1 alpha-2).
    package var countries: [String: String]

    package init(
        _ url: String,
        channels: [String: String] = [:],
        countries: [String: String] = [:]
    ) {
        self.default = url
        self.channels = channels
        self.countries = countries
    }
}
