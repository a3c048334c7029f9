internal import GatePolicy

/// Finds rules that go by what a store has, where no release says what that is.
struct MissingReleaseCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        for rule in rules.definition.rules {
            guard let place = rules.places.rules[rule.id] else { continue }
            let unknown = (rule.match.platforms ?? []).filter { platform in
                rule.releases(for: platform, in: rules.definition).isEmpty
            }
            for platform in unknown {
                let reason = "'releases' has nothing for \(platform)"
                if rule.holdUntilInStore != nil {
                    problems.report(
                        "the rule '\(rule.id)' waits without an end: \(reason)",
                        at: place.place(of: "holdUntilInStore")
                    )
                }
                if rule.recommendsStoreVersion {
                    problems.report(
                        "the rule '\(rule.id)' recommends nothing: \(reason)",
                        at: place.place(of: "recommended")
                    )
                }
            }
        }
    }
}
