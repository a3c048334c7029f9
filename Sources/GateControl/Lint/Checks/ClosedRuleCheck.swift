internal import GatePolicy

/// Finds rules that no update gets past: `[">=3.9.0", "<3.9.4"]`, which is one or the other and so
/// everything.
struct ClosedRuleCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        for rule in rules.definition.rules {
            guard let place = rules.places.rules[rule.id] else { continue }
            switch rule.reach {
            case .open:
                continue
            case .closed:
                let message =
                    "the rule '\(rule.id)' locks everybody out: no version passes; in a list one "
                    + "range is enough, within a range all of it must hold"
                problems.report(message, at: place.place(of: "blocked"))
            case .closedAbove:
                let message = "the rule '\(rule.id)' blocks every version to come: no update helps"
                problems.report(message, at: place.place(of: "blocked"))
            }
        }
    }
}
