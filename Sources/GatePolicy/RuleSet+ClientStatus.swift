extension RuleSet {
    /// The highest value across several rules, and the store URL of the first rule with that value.
    private struct Highest<Value: Comparable> {
        private(set) var value: Value?
        private(set) var storeURL: String?

        mutating func hear(_ value: Value?, _ storeURL: @autoclosure () -> String?) {
            guard let value, self.value.map({ $0 < value }) ?? true else { return }
            self.value = value
            self.storeURL = storeURL()
        }
    }

    /// Returns the status of a client for requests in a scope at a given time.
    ///
    /// The status is valid until the `validUntil` time of its decision.
    package func clientStatus(
        of identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> ClientStatus {
        let decision = self.decide(identity, in: scope, at: now, address: address)
        guard !scope.isExempt else { return ClientStatus(decision: decision) }
        var minimum = Highest<AppVersion>()
        var minimumBuild = Highest<BuildNumber>()
        var latest = Highest<AppVersion>()
        var latestBuild = Highest<BuildNumber>()
        let subject = CompiledRule.Subject(identity, address: address)
        for compiled in self.judge.rules where compiled.definition.mode == .enforce {
            guard compiled.gaps(of: subject, in: scope) == [] else { continue }
            let rule = compiled.definition
            let stage = compiled.stage(for: subject, matchingUpTo: [], at: now)
            let offer = UpgradeTerms(rule, Ruling(store: stage.store), for: identity)
            if stage.refuses, !self.judge.isObserving {
                minimum.hear(offer.minimum, offer.storeURL)
                minimumBuild.hear(offer.minimumBuild, offer.storeURL)
            }
            // A version that the device cannot run is not offered as the latest version.
            if !compiled.excludesDevice(of: subject) {
                let recommendation = compiled.recommendation(at: stage)
                latest.hear(recommendation.version, offer.storeURL)
                latestBuild.hear(recommendation.build, offer.storeURL)
            }
        }
        return ClientStatus(
            decision: decision,
            minimum: minimum.value,
            minimumBuild: minimumBuild.value,
            latest: latest.value,
            latestBuild: latestBuild.value,
            storeURL: decision.upgrade.storeURL ?? minimum.storeURL ?? minimumBuild.storeURL
                ?? latest.storeURL ?? latestBuild.storeURL
        )
    }
}
