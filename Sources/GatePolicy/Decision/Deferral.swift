/// The reason why a rule does not yet deny a client below its floor.
package struct Deferral: Sendable, Equatable {
    /// The ID of the rule, which may have the floor in its `next`.
    package let ruleID: String
    /// The condition of the floor that the client does not meet.
    package let reason: Decision.Reason
    /// The start of enforcement; `nil` if enforcement has started or has no date.
    let enforceFrom: Timestamp?
    /// The rollout progress for the client; `nil` if the rule has no rollout.
    let rollout: Reach?

    /// The progress of a rollout, and the client's position in it.
    struct Reach: Equatable {
        /// The percentage of clients that the rollout currently includes.
        let percent: Double
        /// The percentage at which the rollout will include the client.
        let place: Double
        /// The time of the step that includes the client; `never` if no step does.
        let admission: EffectiveFrom
    }

    /// A description of the events that have to occur before the client is denied.
    package var words: String {
        let day = self.enforceFrom.map { "the floor is enforced from \($0)" }
        let reach = self.rollout.map { rollout in
            let place = "reaches this client at \(Self.percent(rollout.place))%"
            let now = "the rollout is at \(Self.percent(rollout.percent))% and \(place)"
            switch rollout.admission {
            case .always: return "the rollout already includes this client"
            case .from(let date): return "\(now), on \(date)"
            case .never: return "\(now), but no step is that large"
            }
        }
        return [day, reach].compactMap(\.self).joined(separator: "; ")
    }

    /// Returns a percentage with up to two decimal places, rounded up.
    ///
    /// A client at 20.001% must not be shown as within 20%.
    private static func percent(_ percent: Double) -> String {
        let hundredths = Int((percent * 100).rounded(.up))
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension Decision {
    /// Returns a description of the reason, taking into account rules whose dates or rollouts defer
    /// a denial.
    package func reason(with deferrals: [Deferral]) -> String {
        let isEarly = self.reason == .noRuleApplies && !deferrals.isEmpty
        return isEarly ? "no rule applies yet" : "\(self.reason)"
    }
}

extension CompiledRule {
    /// Returns the reason why the rule does not yet deny a client; `nil` if neither its dates nor
    /// its rollout is the reason.
    func deferral(
        of subject: Subject,
        in scope: RequestScope,
        at now: Timestamp
    ) -> Deferral? {
        let rule = self.definition
        guard rule.mode == .enforce, self.gaps(of: subject, in: scope) == [],
            let breach = self.breach(by: subject),
            rule.schedule.until.map({ $0 > now }) ?? true
        else { return nil }
        let stage = self.stage(for: subject, matchingUpTo: [], at: now)
        // `Decision.held` reports floors that wait for a store.
        guard !stage.refuses, !stage.isHeld else { return nil }
        let day = rule.schedule.enforceFrom.flatMap { $0 > now ? $0 : nil }
        var reach: Deferral.Reach?
        if !rule.rollout.isEmpty {
            let identity = subject.identity
            let bucket = RolloutBucket(ruleID: rule.id, identity, address: subject.address)
            let begun = rule.rollout.filter { $0.at.map { $0 <= now } ?? true }
            reach = Deferral.Reach(
                percent: begun.map(\.percent).max() ?? 0,
                place: Double(bucket.number + 1) / Double(RolloutBucket.count / 100),
                admission: self.admission(of: subject)
            )
        }
        guard day != nil || reach != nil else { return nil }
        return Deferral(ruleID: rule.id, reason: breach, enforceFrom: day, rollout: reach)
    }
}
