internal import GatePolicy

/// Finds store links that anybody on the way can change.
///
/// Links that open a store app, such as `market://`, do not travel.
struct InsecureLinkCheck: LintCheck {
    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        let policy = rules.definition.unidentified
        self.check(policy.storeURL, at: rules.places.unidentified, problems)
        for rule in rules.definition.rules {
            let place = rules.places.rules[rule.id]?.place(of: "storeUrl")
            self.check(rule.storeURL, at: place, problems)
        }
        for (release, place) in zip(rules.definition.releases, rules.places.releases) {
            self.check(release.storeURL.map { StoreURL($0) }, at: place, problems)
        }
    }

    private func check(_ storeURL: StoreURL?, at place: Place?, _ problems: Problems) {
        guard let storeURL, let place else { return }
        for link in [storeURL.default] + storeURL.channels.values + storeURL.countries.values
        where link.lowercased().hasPrefix("http:") {
            problems.report("the store link '\(link)' is not https", at: place)
        }
    }
}
