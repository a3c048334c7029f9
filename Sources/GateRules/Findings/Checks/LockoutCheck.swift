internal import GatePolicy

/// Finds floors that no known version passes: all clients would be locked out, and no update would help.
///
/// A version is known if a release states it, or, without releases, if a rule recommends it.
struct LockoutCheck {
    /// A floor that locks clients out, and the reason.
    private struct Lockout {
        let floor: RulesInReview.Floor
        let key: String?
        let reason: String
        /// The rules that together lock clients out.
        let group: [RuleDefinition]
    }

    /// A maintenance window that is too long to wait out.
    private struct Closure {
        let floor: RulesInReview.Floor
        let days: Int64
    }

    private static let longestMaintenance: Int64 = 7

    private let lockouts: [Lockout]
    private let closures: [Closure]
    /// The floors that deny the newest release while an older one passes.
    private let refusedReleases: [Lockout]
    init(_ rules: RulesInReview, at now: Timestamp) {
        guard rules.definition.mode == .enforce else {
            (self.lockouts, self.refusedReleases, self.closures) = ([], [], [])
            return
        }
        let knowledge = KnownVersions(rules)
        var (lockouts, refused): ([Lockout], [Lockout]) = ([], [])
        for (index, floor) in rules.floors.enumerated() where Self.canLockOut(floor.rule, at: now) {
            let others = rules.covering.places(covering: index).map { rules.floors[$0].rule }
            let group = [floor.rule] + others.filter { Self.canLockOut($0, at: now) }
            if let reason = Self.closure(of: group) {
                let key = floor.rule.blocked.isEmpty ? "blockedBuilds" : "blocked"
                lockouts.append(.init(floor: floor, key: key, reason: reason, group: group))
                continue
            }
            guard floor.rule.holdUntilInStore == nil else { continue }
            let time = Self.beginning(of: floor.rule, now)
            // A floor that waits for the store does not deny an available version.
            let unheld = group.filter { $0.holdUntilInStore == nil }
            switch knowledge.verdict(on: floor.rule, unheld, at: time) {
            case .open: continue
            case .closed(let key, let reason):
                lockouts.append(.init(floor: floor, key: key, reason: reason, group: group))
            case .newestRefused(let key, let reason):
                refused.append(.init(floor: floor, key: key, reason: reason, group: group))
            }
        }
        self.closures = rules.floors.compactMap { floor in
            guard floor.base == nil, floor.rule.mode == .enforce,
                let window = floor.rule.maintenance, !window.isOver(at: now),
                let seconds = window.duration
            else { return nil }
            let days = seconds / 86_400
            return days > Self.longestMaintenance ? Closure(floor: floor, days: days) : nil
        }
        self.lockouts = lockouts
        self.refusedReleases = refused
    }

    /// Reports the lockouts; a lockout that was already active, or is no stricter than before, is only a warning.
    func report(to findings: FindingCollector, against old: LoadedRules?) {
        let former = old?.definition.mode == .enforce ? old?.definition.rules ?? [] : []
        let before = Dictionary(firstOf: former.map { ($0.id, $0) })
        func isNew(_ rule: RuleDefinition) -> Bool {
            guard let old = before[rule.id] else { return true }
            return !old.withNext.contains { rule.isNoStricter(than: $0) }
        }
        for lockout in self.lockouts {
            findings.report(
                .lockout,
                "\(lockout.floor.words) locks out all clients: \(lockout.reason)",
                on: lockout.floor,
                at: lockout.key,
                allowedBecause: lockout.group.contains(where: isNew) ? nil : "it is already active"
            )
        }
        for closure in self.closures {
            let rule = closure.floor.rule
            let isNew = before[rule.id]?.maintenance != rule.maintenance
            findings.report(
                .lockout,
                "clients of the rule '\(rule.id)' get 503 for \(closure.days) days: a maintenance "
                    + "window of more than \(Self.longestMaintenance) days is probably a typo",
                on: closure.floor,
                at: "maintenance",
                allowedBecause: isNew ? nil : "it is already active"
            )
        }
        for refused in self.refusedReleases {
            findings.report(
                .refusedRelease,
                "\(refused.floor.words) \(refused.reason)",
                on: refused.floor,
                at: refused.key
            )
        }
    }

    private static func canLockOut(_ rule: RuleDefinition, at now: Timestamp) -> Bool {
        let isOver = rule.schedule.until.map { $0 <= now } ?? false
        let onlyWarns = rule.schedule.warnFrom != nil && rule.schedule.enforceFrom == nil
        let isForNobody = !rule.rollout.isEmpty && rule.rollout.allSatisfy { $0.percent == 0 }
        return rule.hasFloor && rule.mode == .enforce && !isOver && !onlyWarns && !isForNobody
    }

    /// Returns the time at which a floor takes effect; the floor is compared with the releases
    /// available at that time.
    private static func beginning(of rule: RuleDefinition, _ now: Timestamp) -> Timestamp {
        let firstStep = rule.rollout.first { $0.percent > 0 }?.at
        // A brownout enforces the floor earlier.
        if let brownout = rule.schedule.brownouts.first { return max(now, brownout.from) }
        return max(now, rule.schedule.enforceFrom ?? now, firstStep ?? now)
    }

    private static func closure(of group: [RuleDefinition]) -> String? {
        // A minimum without blocked versions always admits newer versions.
        guard group.contains(where: { !$0.blocked.isEmpty || !$0.blockedBuilds.isEmpty }) else {
            return nil
        }
        return switch VersionReach(of: group) {
        case .open: nil
        case .closed where group.contains(where: { $0.blocked.count + $0.blockedBuilds.count > 1 }):
            "no version passes; a list of ranges means 'or', and a space within a range means 'and'"
        case .closed: "no version passes"
        case .closedAbove: "it blocks all future versions, so no update helps"
        }
    }
}
