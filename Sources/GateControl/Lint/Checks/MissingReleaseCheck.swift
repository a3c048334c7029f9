internal import GatePolicy

/// Finds rules that go by what a store has, where no release says what that is.
struct MissingReleaseCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        // What is in the store may be what a feed will say.
        let isToCome = rules.feeds.contains { [.anything, .releases].contains($0.source.subject) }
        for rule in rules.definition.rules {
            guard let place = rules.places.rules[rule.id] else { continue }
            let unknown = (rule.match.platforms ?? []).filter { platform in
                !isToCome && rule.releases(for: platform, in: rules.definition).isEmpty
            }
            self.checkCountries(of: rule, in: rules.definition, at: place, problems)
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

    /// A rule that waits for countries begins with one release that is in all of them.
    private func checkCountries(
        of rule: RuleDefinition,
        in definition: RuleSetDefinition,
        at place: RulesPlaces.Rule,
        _ problems: Problems
    ) {
        guard let hold = rule.holdUntilInStore else { return }
        for platform in rule.match.platforms ?? [] {
            let releases = rule.releases(for: platform, in: definition).filter(rule.admits)
            let isIn = { (release: Release, country: String) in
                // A release without countries is in all of them.
                release.countries.map { $0[country] != nil } ?? true
            }
            let isCovered = releases.contains { release in
                hold.countries.allSatisfy { isIn(release, $0) }
            }
            guard !releases.isEmpty, !isCovered else { continue }
            let countries = hold.countries.map { "'\($0)'" }.joined(separator: ", ")
            problems.report(
                "the rule '\(rule.id)' waits without an end: no release for \(platform) that "
                    + "passes it is in all of \(countries)",
                at: place.place(of: "holdUntilInStore")
            )
        }
    }
}
