/// Where a client stands among the rules, also if it passes: what a launch check tells.
package struct Standing: Sendable, Equatable {
    package var decision: Decision
    /// The highest minimum that is enforced for the client.
    package var minimum: AppVersion?
    package var minimumBuild: UInt64?
    /// The highest version that is recommended to it.
    package var latest: AppVersion?
    package var storeURL: String?

    package init(
        decision: Decision,
        minimum: AppVersion? = nil,
        minimumBuild: UInt64? = nil,
        latest: AppVersion? = nil,
        storeURL: String? = nil
    ) {
        self.decision = decision
        self.minimum = minimum
        self.minimumBuild = minimumBuild
        self.latest = latest
        self.storeURL = storeURL
    }
}

extension RuleSet {
    package func standing(
        of identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> Standing {
        let decision = self.decide(identity, in: scope, at: now, address: address)
        return Standing(
            decision: decision,
            minimum: decision.remedy.minimum,
            minimumBuild: decision.remedy.minimumBuild,
            latest: decision.remedy.latest,
            storeURL: decision.remedy.storeURL
        )
    }
}
