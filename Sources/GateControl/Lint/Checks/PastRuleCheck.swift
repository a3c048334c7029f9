internal import GatePolicy

/// Finds rules and maintenance windows that are over.
struct PastRuleCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        for rule in rules.definition.rules {
            guard let place = rules.places.rules[rule.id] else { continue }
            if let until = rule.schedule.until, until <= now {
                let message = "the rule '\(rule.id)' is over since \(until)"
                problems.report(message, at: place.place(of: "until"))
            }
            if let until = rule.maintenance?.until, until <= now {
                let message = "the maintenance of '\(rule.id)' is over since \(until)"
                problems.report(message, at: place.place(of: "maintenance"))
            }
        }
    }
}
