internal import GatePolicy

/// Finds roll-outs that never reach everybody.
struct StalledRolloutCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        for rule in rules.definition.rules {
            guard let last = rule.rollout.last, last.percent < 100,
                let place = rules.places.rules[rule.id]
            else { continue }
            let share = RolloutDecoder.text(last.percent)
            let message = "the roll-out of '\(rule.id)' stays at \(share)"
            problems.report(message, at: place.place(of: "rollout"))
        }
    }
}
