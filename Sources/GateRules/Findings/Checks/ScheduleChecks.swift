internal import GatePolicy

/// Finds rules and maintenance windows that have ended.
struct PastRuleCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for floor in rules.floors where floor.base == nil && floor.rule.isTimed {
            let rule = floor.rule
            if let until = rule.schedule.until, until <= now {
                let message = "the rule '\(rule.id)' ended at \(until)"
                findings.report(.pastRule, message, on: floor, at: "until")
            }
            if let until = rule.maintenance?.until, until <= now {
                let message = "the maintenance window of '\(rule.id)' ended at \(until)"
                findings.report(.pastRule, message, on: floor, at: "maintenance")
            }
        }
    }
}

/// Finds rollouts that never reach 100 percent, and steps before the floor takes effect.
struct RolloutCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for floor in rules.floors where !floor.rule.rollout.isEmpty {
            let rule = floor.rule
            // A route for a share of the clients can be permanent.
            if let last = rule.rollout.last, last.percent < 100, rule.route == nil {
                let share = RolloutDecoder.number(last.percent)
                let message = "the rollout of '\(rule.id)' stops at \(share)%"
                findings.report(.stalledRollout, message, on: floor, at: "rollout")
            }
            guard let begin = rule.schedule.enforceFrom,
                let early = rule.rollout.last(where: { $0.at.map { $0 < begin } ?? false })?.at
            else { continue }
            let message =
                "the step at \(early) is before 'enforceFrom' (\(begin)), so its whole share must "
                + "update at once when the floor takes effect"
            findings.report(.earlyStep, message, on: floor, at: "rollout")
        }
    }
}

/// Finds dates and durations that are probably typos.
struct FarDateCheck: FindingCheck {
    private static let day: Int64 = 86_400
    /// The number of days from now after which a date is probably a typo.
    private static let farDays: Int64 = 2 * 365
    private static let longMaintenance: Int64 = 2 * day

    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        let horizon = now.advanced(by: Self.farDays * Self.day)
        for floor in rules.floors where floor.rule.isTimed {
            let rule = floor.rule
            for (key, date) in [
                ("warnFrom", rule.schedule.warnFrom), ("enforceFrom", rule.schedule.enforceFrom),
                ("rollout", rule.rollout.compactMap(\.at).max()),
                ("maintenance", rule.maintenance?.from),
            ] {
                guard let date, date > horizon else { continue }
                let message = "\(floor.words) waits for \(date), more than two years from now"
                findings.report(.farDate, message, on: floor, at: key)
            }
            guard let window = rule.maintenance, !window.isOver(at: now) else { continue }
            guard let seconds = window.duration else {
                let message =
                    "'\(rule.id)' is in maintenance and has no 'until': its clients get 503 until "
                    + "the rule changes"
                findings.report(.openMaintenance, message, on: floor, at: "maintenance")
                continue
            }
            guard seconds > Self.longMaintenance else { continue }
            let days = seconds / Self.day
            let message = "the maintenance window of '\(rule.id)' lasts for \(days) days"
            findings.report(.longMaintenance, message, on: floor, at: "maintenance")
        }
    }
}

/// Finds `next` floors that already apply to all clients and can replace the floor of their rule.
struct NextCompleteCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for floor in rules.floors where floor.base != nil {
            guard self.isComplete(floor.rule, rules.definition.releases, at: now) else { continue }
            let message = "\(floor.words) applies to all clients: move its floor to the rule"
            findings.report(.nextComplete, message, on: floor, at: nil)
        }
    }

    private func isComplete(
        _ next: RuleDefinition,
        _ releases: [Release],
        at now: Timestamp
    ) -> Bool {
        var unheld = next
        unheld.holdUntilInStore = nil
        return unheld.isActiveForAllClients(at: now) && next.isInEveryStore(releases, at: now)
    }
}
