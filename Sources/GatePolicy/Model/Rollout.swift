/// For how many clients a rule is enforced from a time on.
package struct RolloutStep: Sendable, Equatable {
    /// When the step begins; `nil` for one that is there from the beginning.
    package var at: Timestamp?
    /// The share of clients, from 0 (nobody) to 100 (everybody).
    package var percent: Double

    package init(at: Timestamp? = nil, percent: Double) {
        self.at = at
        self.percent = percent
    }
}

/// The steps in which a rule reaches its clients.
///
/// A client is in from the first step that is large enough for its bucket, and stays in: a later
/// step only adds.
struct Rollout: Sendable {
    private let ruleID: String
    private let steps: [RolloutStep]

    init(_ rule: RuleDefinition) {
        self.ruleID = rule.id
        self.steps = rule.rollout
    }

    /// From when on a client is in; a rule without steps is for everybody.
    func admission(of identity: ClientIdentity, address: String?) -> EffectiveFrom {
        guard !self.steps.isEmpty else { return .always }
        let bucket = RolloutBucket(ruleID: self.ruleID, identity, address: address)
        let admitting = self.steps.filter { bucket.isWithin($0.percent) }
        if admitting.contains(where: { $0.at == nil }) { return .always }
        return admitting.compactMap(\.at).min().map { .from($0) } ?? .never
    }
}
