/// Why a rule does not refuse a client yet that is below its floor.
package struct Deferral: Sendable, Equatable {
    /// The rule, or the one whose `next` it is.
    package let ruleID: String
    /// In what the client is below the floor.
    package let reason: Decision.Reason
    /// The day of the floor, if that is still to come.
    let enforceFrom: Timestamp?
    /// The client's place in the roll-out, if the rule has one.
    let rollout: Reach?

    /// How far a roll-out has come, and where the client stands in it.
    struct Reach: Equatable {
        /// The share of clients that it has reached, in percent.
        let percent: Double
        /// The share at which it reaches the client, in percent.
        let place: Double
        /// When a step reaches the client; none does at all if it never begins.
        let admission: EffectiveFrom
    }

    /// The events that are still to come before the client is refused.
    package var words: String {
        let day = self.enforceFrom.map { "its floor is enforced from \($0) on" }
        let reach = self.rollout.map { rollout in
            let place = "comes to this client at \(Self.percent(rollout.place)) %"
            let now = "its roll-out is at \(Self.percent(rollout.percent)) % and \(place)"
            switch rollout.admission {
            case .always: return "its roll-out has this client"
            case .from(let date): return "\(now), on \(date)"
            case .never: return "\(now), which no step reaches"
            }
        }
        return [day, reach].compactMap(\.self).joined(separator: "; ")
    }

    /// A percentage with two decimal places at most, rounded up: a client at 20.001 % is not in 20 %.
    private static func percent(_ percent: Double) -> String {
        let hundredths = Int((percent * 100).rounded(.up))
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension Decision {
    /// The reason in words, beside rules that would refuse but for their dates.
    package func reason(with deferrals: [Deferral]) -> String {
        let isEarly = self.reason == .noRuleApplies && !deferrals.isEmpty
        return isEarly ? "no rule applies yet" : "\(self.reason)"
    }
}

extension Judge {
    /// The rules that would refuse a client but for their dates and roll-outs, in the order of the
    /// file.
    func deferrals(
        for identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> [Deferral] {
        guard !scope.isExempt else { return [] }
        let subject = CompiledRule.Subject(identity, address: address)
        return self.rules.compactMap { $0.deferral(of: subject, in: scope, at: now) }
    }
}

extension CompiledRule {
    fileprivate func deferral(
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
        // A floor that waits for a store says so by itself.
        guard !stage.refuses, !stage.isHeld else { return nil }
        let day = rule.schedule.enforceFrom.flatMap { $0 > now ? $0 : nil }
        var reach: Deferral.Reach?
        if !rule.rollout.isEmpty {
            let bucket = RolloutBucket(
                ruleID: rule.id,
                subject.identity,
                address: subject.address
            )
            let begun = rule.rollout.filter { $0.at.map { $0 <= now } ?? true }
            reach = Deferral.Reach(
                percent: begun.map(\.percent).max() ?? 0,
                place: bucket.percent,
                admission: self.admission(of: subject)
            )
        }
        guard day != nil || reach != nil else { return nil }
        return Deferral(ruleID: rule.id, reason: breach, enforceFrom: day, rollout: reach)
    }
}

extension RolloutBucket {
    /// The share of clients that have to be in before this one is.
    fileprivate var percent: Double {
        Double(self.number + 1) / Double(Self.count / 100)
    }
}
