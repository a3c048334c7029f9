/// The stage of a rule for one client at one time.
struct RuleStage {
    /// The effect on a client below the floor.
    ///
    /// The floor consists of minimums and of blocked versions and builds.
    enum Floor: Equatable {
        /// No effect yet.
        case absent
        case warned(Decision.Warning)
        /// The floor is enforced until the end of the window; after that, clients are only warned
        /// again.
        case brownout(BrownoutWindow, Decision.Warning)
        case enforced
    }

    enum Maintenance: Equatable {
        case absent
        case announced(MaintenanceWindow)
        case running(MaintenanceWindow)
    }

    /// The stage of a rule without a schedule.
    static let timeless = RuleStage()

    private(set) var floor = Floor.enforced
    private(set) var maintenance = Maintenance.absent
    /// Whether the rule still recommends a version or build.
    private(set) var recommends = true
    /// The state of the client's store; `nil` if the rule does not depend on stores.
    private(set) var store: StoreView?
    /// Whether the floor is absent only because the store does not have the update yet.
    private(set) var isHeld = false
    /// The next time at which the stage may change; `nil` if the stage never changes.
    private(set) var nextChange: Timestamp?

    /// Whether a client below the floor is denied.
    var refuses: Bool {
        switch self.floor {
        case .absent, .warned: false
        case .brownout, .enforced: true
        }
    }

    /// Whether a maintenance window is active, which denies all requests.
    var isClosed: Bool {
        if case .running = self.maintenance { true } else { false }
    }

    private init() {}

    init(_ rule: RuleDefinition, _ admission: EffectiveFrom, at now: Timestamp) {
        if let until = rule.schedule.until, until <= now {
            self.floor = .absent
            self.recommends = false
            return
        }
        self.floor = Self.floor(rule, admission, at: now)
        self.maintenance = rule.maintenance.map { Self.maintenance($0, at: now) } ?? .absent
        let window = rule.schedule.brownouts(notOverAt: now).first
        for edge in [
            rule.schedule.warnFrom, rule.schedule.enforceFrom, rule.schedule.until,
            admission.date, rule.maintenance?.announceFrom, rule.maintenance?.from,
            rule.maintenance?.until, window?.from, window?.until,
        ] {
            guard let edge, edge > now else { continue }
            self.nextChange = Timestamp.earlier(self.nextChange, edge)
        }
    }

    /// Removes the floor if the store does not have the update yet.
    mutating func look(at store: StoreView, at now: Timestamp) {
        // A rule that has ended does not wait for a store.
        guard self.recommends else { return }
        self.store = store
        if self.floor != .absent, !store.floor.hasBegun(at: now) {
            self.floor = .absent
            self.isHeld = true
        }
        self.nextChange = Timestamp.earlier(self.nextChange, store.nextChange)
    }

    /// Removes the maintenance window, so that only other terms can deny a request.
    mutating func ignoreMaintenance() {
        self.maintenance = .absent
    }

    private static func floor(
        _ rule: RuleDefinition,
        _ admission: EffectiveFrom,
        at now: Timestamp
    ) -> Floor {
        // A rule that has only a maintenance window has no floor, and has no effect outside the
        // window.
        if rule.maintenance != nil, !rule.hasTerms { return .absent }
        let schedule = rule.schedule
        // A warning without `enforceFrom` never becomes a requirement.
        let hasBegun = schedule.enforceFrom.map { $0 <= now } ?? (schedule.warnFrom == nil)
        if hasBegun, admission.hasBegun(at: now) { return .enforced }
        guard let warnFrom = schedule.warnFrom, warnFrom <= now else { return .absent }
        let deadline = hasBegun ? admission.date : schedule.enforceFrom
        let comes = deadline.flatMap { deadline in
            // Enforcement that would start after the end of the rule never starts.
            schedule.until.map { deadline < $0 } ?? true ? deadline : nil
        }
        let windows = schedule.brownouts(notOverAt: now)
        let running = windows.first.flatMap { $0.from <= now ? $0 : nil }
        let warning = Decision.Warning(
            since: warnFrom,
            enforcedFrom: comes,
            nextBrownout: (running == nil ? windows : windows.dropFirst()).first
        )
        return running.map { .brownout($0, warning) } ?? .warned(warning)
    }

    private static func maintenance(
        _ window: MaintenanceWindow,
        at now: Timestamp
    ) -> Maintenance {
        guard !window.isOver(at: now) else { return .absent }
        guard let from = window.from, from > now else { return .running(window) }
        guard let announceFrom = window.announceFrom, announceFrom <= now else { return .absent }
        return .announced(window)
    }
}

extension RuleDefinition {
    /// Whether the rule requires or recommends a version or a build.
    var hasTerms: Bool {
        self.hasFloor || self.recommendsSomething
    }

    /// Whether the rule can deny a client because of its version or build.
    package var hasFloor: Bool {
        self.minimum != nil || self.minimumBuild != nil || !self.blocked.isEmpty
            || !self.blockedBuilds.isEmpty
    }

    /// Whether the effect of the rule depends on the time or on a rollout.
    package var isTimed: Bool {
        self.schedule != .always || !self.rollout.isEmpty || self.maintenance != nil
    }
}
