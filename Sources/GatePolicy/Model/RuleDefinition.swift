/// A rule in the rules file: its conditions, its requirements, and its texts.
package struct RuleDefinition: Sendable, Equatable {
    /// The name of the rule, which is unique in its rule set.
    package var id: String
    /// The clients and requests that the rule matches.
    package var match: RuleMatch
    /// The version below which clients have to upgrade.
    package var minimum: AppVersion?
    /// The build below which clients have to upgrade.
    package var minimumBuild: BuildNumber?
    /// The version whose builds `minimumBuild` applies to; `nil` if it applies to all versions.
    ///
    /// Apps whose build numbers restart with each version need this condition.
    package var minimumBuildOf: AppVersion?
    /// The version below which clients pass with a hint.
    package var recommended: AppVersion?
    /// The build below which clients pass with a hint.
    package var recommendedBuild: BuildNumber?
    /// Whether the newest version in the store is also recommended (`recommended: store`).
    package var recommendsStoreVersion: Bool
    /// The version ranges in which clients have to upgrade, regardless of `minimum`.
    package var blocked: [VersionRange]
    /// The builds that have to upgrade, regardless of `minimumBuild`.
    package var blockedBuilds: [BlockedBuilds]
    /// The policy for comparing a pre-release with the floor.
    package var prerelease: PrereleasePolicy
    /// The name of the notice for denied clients; `nil` means the built-in notice.
    package var notice: String?
    /// The name of the notice for clients with a recommendation; `nil` means the built-in notice.
    package var recommendedNotice: String?
    /// The store URL for the update.
    package var storeURL: StoreURL?
    /// The mode, which determines whether the rule is enforced or only observed.
    package var mode: RuleMode
    /// The times at which the rule takes effect and ends.
    package var schedule: RuleSchedule
    /// The share of clients to which the floor or the route applies, by time; empty if they apply
    /// to all clients.
    package var rollout: [RolloutStep]
    /// The window in which all requests that the rule matches are denied.
    package var maintenance: MaintenanceWindow?
    /// The route to a backend; `nil` if the rule has no route.
    ///
    /// A rule with a route has no other terms, apart from planned floors.
    package var route: Route?
    /// The availability in stores that the rule waits for; `nil` if the rule does not wait.
    package var holdUntilInStore: StoreHold?
    /// The OS versions that the update supports; empty if it supports all OS versions.
    ///
    /// Clients with other OS versions cannot update (see `UpgradeTerms.cannotUpdate`).
    package var requiresOS: [VersionRange]
    /// The format of denials by this rule, where it differs from the default format.
    package var answer: AnswerStyle
    /// The number of seconds before a client may repeat a recommendation; `nil` means one day.
    package var snooze: Int64?
    /// The planned floors, each as a complete rule with the same ID and match.
    ///
    /// Planned floors only add requirements. For each client, the current floor remains active
    /// until a planned floor is stricter.
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
        route: Route? = nil,
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
        self.route = route
        self.holdUntilInStore = holdUntilInStore
        self.requiresOS = requiresOS
        self.answer = answer
        self.snooze = snooze
        self.next = next
    }
}

/// A version or a build that is recommended.
struct Recommendation: Sendable, Equatable {
    var version: AppVersion?
    var build: BuildNumber?

    static let none = Recommendation()

    var isEmpty: Bool { self.version == nil && self.build == nil }
}

extension RuleDefinition {
    /// The recommended version and build in the rule, which can be lower than those in the store.
    var recommendation: Recommendation {
        Recommendation(version: self.recommended, build: self.recommendedBuild)
    }

    /// Whether the rule recommends its own version or build, or the version in the store.
    package var recommendsSomething: Bool {
        !self.recommendation.isEmpty || self.recommendsStoreVersion
    }

    /// The rule, followed by each entry of its `next`.
    package var withNext: [RuleDefinition] { [self] + self.next }
}

/// The clients and requests that a rule matches.
///
/// A `nil` part matches everything, and an empty list matches nothing.
package struct RuleMatch: Sendable, Hashable {
    /// App identifiers (bundle ID, package name), or patterns such as `com.example.*`.
    package var apps: [AppPattern]?
    package var platforms: [Platform]?
    /// Distribution channels, such as `fdroid` or `testflight`, compared case-insensitively.
    package var channels: [String]?
    /// The ranges of OS versions, at least one of which has to match.
    package var osVersions: [VersionRange]?
    /// The request patterns, at least one of which has to match.
    package var requests: [RequestPattern]?

    /// Whether the match includes an app; true if there is no condition on apps.
    package func accepts(app: String) -> Bool {
        self.apps?.contains { $0.matches(app) } ?? true
    }

    /// The identifiers in the condition on apps.
    ///
    /// `nil` if there is no condition on apps, or if it contains a pattern, because a pattern
    /// cannot be looked up by a client's app.
    var appIdentifiers: [String]? {
        guard let apps, apps.allSatisfy(\.isIdentifier) else { return nil }
        return apps.map(\.description)
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

/// The policy for comparing a pre-release with a floor, such as `2.0.0-rc.1` with a minimum of
/// `2.0.0`.
package enum PrereleasePolicy: String, Sendable, Equatable, CaseIterable {
    /// A pre-release counts as its release, so that testers are not denied.
    case asRelease
    /// A pre-release is lower than its release, as in SemVer 2.
    case strict
}

/// The mode of a rule or of all rules.
package enum RuleMode: String, Sendable, Equatable, CaseIterable {
    case enforce
    /// Decisions are counted and logged, and all requests pass.
    case observe
}

/// The store URLs for an update, by the client's channel, or else by its country.
package struct StoreURL: Sendable, Equatable {
    package var `default`: String
    /// The URLs by lower-case channel.
    package var channels: [String: String]
    /// The URLs by lower-case country code (ISO 3166-1 alpha-2).
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
