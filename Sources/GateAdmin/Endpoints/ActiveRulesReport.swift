internal import GateCensus
internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules

/// The active rules, with their terms and origins.
struct ActiveRulesReport: Encodable {
    struct Origin: Encodable {
        /// The origin of the rules: `file`, or `state` if the gate started with the last good rules.
        let kind: String
        let files: [String]
        let feeds: [String]
    }

    struct Reload: Encodable {
        let at: Timestamp
        /// The origin of the reload as in the audit log: `start`, `signal`, `file` or `admin`.
        let by: String
        let name: String?
        let successful: Bool
        let errors: [ErrorEntry]
    }

    let revision: String
    let mode: String
    let origin: Origin
    /// The undo that makes the rules differ from the files.
    let undo: UndoEntry?
    let inForceSince: Timestamp?
    /// The last reload; `nil` if there has been none since startup.
    let lastReload: Reload?
    /// Whether the census is on.
    let isCounting: Bool
    /// Whether the census contains demo data.
    let hasDemoData: Bool
    let rules: [RuleEntry]

    init(
        _ standing: RulesSnapshot,
        isCounting: Bool,
        hasDemoData: Bool = false,
        _ matches: [String: LastMatch] = [:],
        _ shares: [String: ReturnSample.Share] = [:],
        at now: Timestamp
    ) {
        let (rules, status) = (standing.rules, standing.status)
        let definition = rules.definition
        self.revision = definition.revision
        self.mode = definition.mode.rawValue
        self.isCounting = isCounting
        self.hasDemoData = hasDemoData
        self.origin = Origin(
            kind: standing.areOfFile ? "file" : "state",
            files: rules.files,
            feeds: rules.feeds.map(\.id)
        )
        self.undo = rules.pin.map { UndoEntry($0) }
        self.inForceSince = standing.inForceSince
        self.lastReload = standing.lastReload.map { reload in
            Reload(
                at: reload.time,
                by: AuditRecord.Source(reload.origin).kind.rawValue,
                name: reload.origin.name,
                successful: status.lastReloadSuccessful,
                errors: status.errors.map { ErrorEntry($0) }
            )
        }
        let timeline = Timeline(definition, after: now, until: now.advanced(by: .max))
        let dates = Dictionary(grouping: timeline.events) { $0.rule }
        self.rules = definition.rules.map { rule in
            RuleEntry(
                rule,
                origin: rules.origin(ofRule: rule.id),
                dates: dates[rule.id] ?? [],
                match: matches[rule.id],
                share: shares[rule.id]
            )
        }
    }
}

/// A rule, with the same keys as in the rules file.
struct RuleEntry: Encodable {
    struct Match: Encodable {
        let apps: [String]?
        let platforms: [String]?
        let channels: [String]?
        let osVersions: [String]?
        let requests: [String]?

        init(_ match: RuleMatch) {
            self.apps = match.apps?.map(\.description)
            self.platforms = match.platforms?.map(\.name)
            self.channels = match.channels
            self.osVersions = match.osVersions?.map(\.description)
            self.requests = match.requests?.map(\.text)
        }
    }

    struct Window: Encodable {
        let from: Timestamp?
        let until: Timestamp?
        var announceFrom: Timestamp?
    }

    /// The backend for the clients of a rule.
    struct RouteTerms: Encodable {
        let backend: String
        let versions: [String]
        let builds: [String]
        /// The action while the backend is unreachable: `refuse` or `default`.
        let otherwise: String

        init(_ route: Route) {
            self.backend = route.backend
            self.versions = route.versions.map(\.description)
            self.builds = route.builds.map(\.description)
            self.otherwise = route.fallback.rawValue
        }
    }

    struct Step: Encodable {
        let at: Timestamp?
        let percent: Double
    }

    /// The terms of a rule, or of an entry in its `next`.
    struct Terms: Encodable {
        let mode: String
        let minimum: String?
        let minimumBuild: BuildNumber?
        let minimumBuildOf: String?
        let recommended: String?
        let recommendedBuild: BuildNumber?
        let blocked: [String]
        let blockedBuilds: [String]
        let warnFrom: Timestamp?
        let enforceFrom: Timestamp?
        let until: Timestamp?
        let brownouts: [Window]
        let rollout: [Step]
        let maintenance: Window?
        let route: RouteTerms?
        let holdsUntilInStore: Bool
        let requiresOS: [String]
        let storeUrl: String?
        let notice: String?

        init(_ rule: RuleDefinition) {
            self.mode = rule.mode.rawValue
            self.minimum = rule.minimum?.description
            self.minimumBuild = rule.minimumBuild
            self.minimumBuildOf = rule.minimumBuildOf?.description
            self.recommendedBuild = rule.recommendedBuild
            self.recommended =
                rule.recommended?.description ?? (rule.recommendsStoreVersion ? "store" : nil)
            self.blocked = rule.blocked.map(\.description)
            self.blockedBuilds = rule.blockedBuilds.map(\.description)
            self.warnFrom = rule.schedule.warnFrom
            self.enforceFrom = rule.schedule.enforceFrom
            self.until = rule.schedule.until
            self.brownouts = rule.schedule.brownouts.map { Window(from: $0.from, until: $0.until) }
            self.rollout = rule.rollout.map { Step(at: $0.at, percent: $0.percent) }
            self.maintenance = rule.maintenance.map {
                Window(from: $0.from, until: $0.until, announceFrom: $0.announceFrom)
            }
            self.route = rule.route.map { RouteTerms($0) }
            self.holdsUntilInStore = rule.holdUntilInStore != nil
            self.requiresOS = rule.requiresOS.map(\.description)
            self.storeUrl = rule.storeURL?.default
            self.notice = rule.notice
        }
    }

    let id: String
    /// The location as `file:line:col`.
    let place: String?
    /// The ID of the feed that the rule comes from.
    let feed: String?
    let match: Match
    let terms: Terms
    let next: [Terms]
    let dates: [Timeline.Event]
    let lastMatch: MatchEntry?
    let returns: ReturnsEntry?

    /// The number of sampled devices that the rule denied in the last 30 days, and how many of them returned with a
    /// newer build.
    struct ReturnsEntry: Encodable {
        let refused: Int
        let returned: Int
    }

    /// The time of the rule's last decision about a request.
    struct MatchEntry: Encodable {
        let at: Timestamp
        /// The resolution in seconds: the decision may have been made up to this many seconds before `at`.
        let withinSeconds: Int64
    }

    init(
        _ rule: RuleDefinition,
        origin: (place: String, feed: String?)?,
        dates: [Timeline.Event],
        match: LastMatch?,
        share: ReturnSample.Share?
    ) {
        self.id = rule.id
        self.place = origin?.place
        self.feed = origin?.feed
        self.match = Match(rule.match)
        self.terms = Terms(rule)
        self.next = rule.next.map { Terms($0) }
        self.dates = dates
        self.lastMatch = match.map { MatchEntry(at: $0.at, withinSeconds: $0.within) }
        self.returns = share.map { ReturnsEntry(refused: $0.refused, returned: $0.returned) }
    }
}

/// The findings on the active rules, and the findings that caused other rules to be rejected.
struct FindingsReport: Encodable {
    let revision: String?
    let findings: [RulesReport.Item]
    let refusals: [RulesReport.Item]

    init(_ status: ReloadStatus) {
        self.revision = status.revision
        self.findings = status.findings.map { RulesReport.Item($0) }
        self.refusals = status.refusals.map { RulesReport.Item($0) }
    }
}
