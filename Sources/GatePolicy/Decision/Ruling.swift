/// The result of evaluating one rule for a client.
struct Ruling {
    var kind = Decision.Kind.allow
    var reason = Decision.Reason.passes
    /// The parts of the identity that the rule requires and that are missing or unparsable.
    var gaps: [IdentityGap] = []
    /// The dates of a warning or a brownout.
    var warning: Decision.Warning?
    /// The brownout after which the client passes again; `nil` if the denial is permanent.
    var brownout: BrownoutWindow?
    /// The active maintenance window; in rulings of other kinds, the announced window.
    var maintenance: MaintenanceWindow?
    /// The state of the client's store; `nil` if the rule does not depend on stores.
    var store: StoreView?
    /// Whether the device is too old for the update.
    var cannotUpdate = false
}

extension Ruling {
    /// Creates the ruling for a client below the floor; returns `nil` if the floor has no effect yet.
    init?(below breach: Decision.Reason, _ floor: RuleStage.Floor) {
        switch floor {
        case .absent:
            return nil
        case .warned(let warning):
            self.init(
                kind: .recommend,
                reason: .warned(breach, requiredFrom: warning.enforcedFrom),
                warning: warning
            )
        case .brownout(let window, let warning):
            self.init(
                kind: .require,
                reason: .brownout(breach, until: window.until),
                warning: warning,
                brownout: window
            )
        case .enforced:
            self.init(kind: .require, reason: breach)
        }
    }

    /// Whether this ruling is stricter than another ruling.
    ///
    /// An earlier enforcement date and a longer brownout or maintenance window are stricter, so
    /// that clients get the first date on which they have to update, and the end of the last
    /// brownout or maintenance window.
    func outranks(_ other: Ruling) -> Bool {
        guard self.kind == other.kind else { return self.kind > other.kind }
        switch self.kind {
        case .allow:
            return false
        case .require:
            guard let known = other.brownout else { return false }
            return self.brownout.map { $0.until > known.until } ?? true
        case .recommend:
            guard let warning else { return false }
            guard let known = other.warning else { return true }
            guard let date = warning.enforcedFrom else { return false }
            return known.enforcedFrom.map { date < $0 } ?? true
        case .maintenance:
            guard let window = self.maintenance, let known = other.maintenance else { return false }
            return window.outlasts(known)
        }
    }
}

extension UpgradeTerms {
    /// Collects the terms that a rule offers to a client, regardless of the kind of ruling.
    init(_ rule: RuleDefinition, _ ruling: Ruling, for identity: ClientIdentity) {
        let recommendation = ruling.store?.recommendation ?? rule.recommendation
        self.init(
            minimum: rule.minimum,
            minimumBuild: rule.minimumBuild,
            latest: recommendation.version,
            latestBuild: recommendation.build,
            storeURL: rule.storeURL?.url(for: identity) ?? ruling.store?.newest?.storeURL,
            notice: rule.notice,
            recommendedNotice: rule.recommendedNotice,
            cannotUpdate: ruling.cannotUpdate,
            snooze: rule.snooze
        )
    }
}
