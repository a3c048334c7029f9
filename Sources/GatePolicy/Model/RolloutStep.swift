/// The share of clients for which a rule is enforced from a given time.
package struct RolloutStep: Sendable, Equatable {
    /// The start of the step; `nil` if the step applies from the beginning.
    package var at: Timestamp?
    /// The share of clients in percent, from 0 (none) to 100 (all).
    package var percent: Double

    package init(at: Timestamp? = nil, percent: Double) {
        self.at = at
        self.percent = percent
    }
}

extension RuleDefinition {
    /// Returns the time from which the rollout includes a client; `always` if the rule has no
    /// steps.
    ///
    /// A client is included from the first step that is large enough for its bucket, and remains
    /// included, because later steps only add clients.
    func admission(of identity: ClientIdentity, address: String?) -> EffectiveFrom {
        guard !self.rollout.isEmpty else { return .always }
        let bucket = RolloutBucket(ruleID: self.id, identity, address: address)
        let admitting = self.rollout.filter { bucket.isWithin($0.percent) }
        if admitting.contains(where: { $0.at == nil }) { return .always }
        return admitting.compactMap(\.at).min().map { .from($0) } ?? .never
    }
}
