internal import GatePolicy

/// Finds floors that no known version passes: everybody would be locked out, and no update helps.
///
/// A version is known if a store has it, or, where no release is stated, if a rule recommends it.
struct LockoutCheck {
    /// A floor that locks out, and why.
    struct Lockout {
        let floor: RulesInReview.Floor
        let key: String?
        let reason: String
        /// The rules that do it together.
        let group: [RuleDefinition]
    }

    /// A maintenance without an end that anybody would wait for.
    private struct Closure {
        let rule: RuleDefinition
        let place: Place
        let days: Int64
    }

    private static let longestMaintenance: Int64 = 7

    let lockouts: [Lockout]
    private let closures: [Closure]
    /// Floors that refuse the newest release, while an older one passes.
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
            // A floor that waits for the store refuses nothing that is there.
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
            let place = floor.places.place(of: "maintenance")
            return days > Self.longestMaintenance
                ? Closure(rule: floor.rule, place: place, days: days) : nil
        }
        self.lockouts = lockouts
        self.refusedReleases = refused
    }

    /// Reports them; what was in force before, or is no stricter than that, is not refused again.
    func report(to findings: FindingCollector, against old: LoadedRules?) {
        let before = Dictionary(
            (old?.definition.mode == .enforce ? old?.definition.rules ?? [] : [])
                .map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        for lockout in self.lockouts {
            let isNew = lockout.group.contains { rule in
                guard let old = before[rule.id] else { return true }
                return !old.withNext.contains { rule.isNoStricter(than: $0) }
            }
            findings.report(
                .lockout,
                "\(lockout.floor.words) locks everybody out: \(lockout.reason)",
                at: lockout.place,
                rule: lockout.floor.rule.id,
                allowedBecause: isNew ? nil : "it is in force already"
            )
        }
        for closure in self.closures {
            let isNew = before[closure.rule.id]?.maintenance != closure.rule.maintenance
            findings.report(
                .lockout,
                "nobody that the rule '\(closure.rule.id)' is for is served for \(closure.days) days: "
                    + "a maintenance of more than \(Self.longestMaintenance) days is probably a slip",
                at: closure.place,
                rule: closure.rule.id,
                allowedBecause: isNew ? nil : "it is in force already"
            )
        }
        for refused in self.refusedReleases {
            findings.report(
                .refusedRelease,
                "\(refused.floor.words) \(refused.reason)",
                at: refused.place,
                rule: refused.floor.rule.id
            )
        }
    }

    private static func canLockOut(_ rule: RuleDefinition, at now: Timestamp) -> Bool {
        let isOver = rule.schedule.until.map { $0 <= now } ?? false
        let onlyWarns = rule.schedule.warnFrom != nil && rule.schedule.enforceFrom == nil
        let isForNobody = !rule.rollout.isEmpty && rule.rollout.allSatisfy { $0.percent == 0 }
        return rule.hasFloor && rule.mode == .enforce && !isOver && !onlyWarns && !isForNobody
    }

    /// A floor that is to come is held against what is out by then.
    private static func beginning(of rule: RuleDefinition, _ now: Timestamp) -> Timestamp {
        let firstStep = rule.rollout.first { $0.percent > 0 }?.at
        // A brownout asks for it before that.
        if let brownout = rule.schedule.brownouts.first { return max(now, brownout.from) }
        return max(now, rule.schedule.enforceFrom ?? now, firstStep ?? now)
    }

    private static func closure(of group: [RuleDefinition]) -> String? {
        // A minimum alone is passed by everything above it.
        guard group.contains(where: { !$0.blocked.isEmpty || !$0.blockedBuilds.isEmpty }) else {
            return nil
        }
        return Self.closure(VersionReach(of: group))
    }

    private static func closure(_ reach: VersionReach) -> String? {
        switch reach {
        case .open: nil
        case .closed:
            "no version passes; in a list one range is enough, within a range all of it must hold"
        case .closedAbove: "it blocks every version to come, so that no update helps"
        }
    }
}

extension LockoutCheck.Lockout {
    fileprivate var place: Place {
        self.key.map { self.floor.places.place(of: $0) } ?? self.floor.places.id
    }
}
