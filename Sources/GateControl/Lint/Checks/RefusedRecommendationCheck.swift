internal import GatePolicy

/// Finds recommended versions that another rule for the same clients refuses.
struct RefusedRecommendationCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        let definition = rules.definition
        for rule in definition.rules where rule.mode == .enforce {
            guard let recommended = rule.recommended, let place = rules.places.rules[rule.id],
                let refusing = definition.rules.first(where: { other in
                    guard other.alwaysEnforces, let minimum = other.minimum else { return false }
                    // As a pre-release, or as the release that it leads to: both are below.
                    return recommended.release < minimum && other.match.covers(rule.match)
                })
            else { continue }
            let message =
                "the recommended version \(recommended) is refused by the rule '\(refusing.id)'"
            problems.report(message, at: place.place(of: "recommended"))
        }
    }
}
