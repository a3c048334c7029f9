internal import GatePolicy

/// Finds blocked versions that the minimum of the same rule refuses anyway.
struct NeedlessBlockCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        for rule in rules.definition.rules {
            guard let minimum = rule.minimum, let place = rules.places.rules[rule.id] else {
                continue
            }
            for range in rule.blocked where range.isWhollyBelow(minimum) {
                let message =
                    "'\(range)' need not be blocked: it lies wholly below the minimum \(minimum)"
                problems.report(message, at: place.place(of: "blocked"))
            }
        }
    }
}
