internal import GatePolicy

/// Finds rules that deny without words of their own, in a notice or in a body.
struct BuiltInWordsCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        for rule in rules.definition.rules where rule.mode == .enforce && rule.notice == nil {
            let body = rule.answer.body ?? rules.definition.answer.body
            guard rule.hasFloor || rule.maintenance != nil, body == nil,
                let place = rules.places.rules[rule.id]
            else { continue }
            let message =
                "the rule '\(rule.id)' has no 'notice': clients are shown the built-in English "
                + "words"
            problems.report(message, at: place.id)
        }
    }
}
