/// Lets every rule speak, and takes the strictest word.
struct Judge: Sendable {
    private let rules: [CompiledRule]
    private let unidentified: UnidentifiedPolicy

    init(_ definition: RuleSetDefinition, _ classifier: RequestClassifier) {
        self.rules = definition.rules.map { rule in
            let patterns = rule.match.requests?.compactMap { classifier.number(of: $0) }
            return CompiledRule(rule, patterns: patterns)
        }
        self.unidentified = definition.unidentified
    }

    func decide(
        _ identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> Decision {
        guard !scope.isExempt else { return .exempt }
        var decision = Decision(kind: .allow, reason: .noRuleApplies)
        var strictest = Ruling()
        var announced: MaintenanceWindow?
        var gaps = Self.gaps(of: identity)
        let subject = CompiledRule.Subject(identity, address: address)
        for (index, compiled) in self.rules.enumerated() {
            guard let unknown = compiled.gaps(of: subject, in: scope) else { continue }
            let stage = compiled.stage(for: subject, at: now)
            decision.validUntil = Timestamp.earlier(decision.validUntil, stage.nextChange)
            guard let ruling = compiled.ruling(on: subject, stage, matchingUpTo: unknown)
            else { continue }
            let rule = compiled.definition
            switch rule.mode {
            case .enforce:
                gaps.formUnion(ruling.gaps)
                decision.reason = .passes
                if ruling.kind < .maintenance, let window = ruling.maintenance {
                    announced = MaintenanceWindow.next(announced, window)
                }
                // Among equals the first in the file: only a stricter one takes over.
                guard ruling.outranks(strictest) else { continue }
                strictest = ruling
                decision.ruleID = rule.id
                decision.ruleIndex = index
            case .observe:
                decision.observed += self.observed(ruling, by: rule)
            }
        }
        decision.maintenance = announced
        if let index = decision.ruleIndex {
            decision.take(strictest)
            let rule = self.rules[index].definition
            decision.remedy = Remedy(rule, channel: identity.channel.value)
        }
        self.apply(gaps.sorted(), to: &decision, identity)
        return decision
    }

    /// The gap of a client that does not say which build it is, whatever the rules need.
    private static func gaps(of identity: ClientIdentity) -> Set<IdentityGap> {
        // Who counts in builds alone has said which one it is.
        if case .missing = identity.version, identity.build.value != nil { return [] }
        return identity.version.gap(.version).map { [$0] } ?? []
    }

    private func action(on gap: IdentityGap) -> UnidentifiedPolicy.Action {
        switch gap {
        case .missing: self.unidentified.missing
        case .unreadable: self.unidentified.unreadable
        }
    }

    private func observed(
        _ ruling: Ruling,
        by rule: RuleDefinition
    ) -> [Decision.Observed] {
        if ruling.kind > .allow {
            return [.init(ruleID: rule.id, kind: ruling.kind, reason: ruling.reason)]
        }
        return ruling.gaps.filter { self.action(on: $0) != .allow }.map {
            .init(ruleID: rule.id, kind: .require, reason: .init($0))
        }
    }

    /// Applies the policy on unidentified clients.
    private func apply(
        _ gaps: [IdentityGap],
        to decision: inout Decision,
        _ identity: ClientIdentity
    ) {
        let observing = gaps.filter { self.action(on: $0) == .observe }
        decision.observed += observing.map {
            .init(ruleID: nil, kind: .require, reason: .init($0))
        }
        let rejecting = gaps.first { self.action(on: $0) == .reject }
        decision.gap = rejecting ?? observing.first ?? gaps.first
        if let rejecting, decision.kind < .require {
            decision.kind = .require
            decision.reason = .init(rejecting)
            decision.ruleID = nil
            decision.ruleIndex = nil
            decision.warning = nil
            decision.remedy = Remedy(self.unidentified, channel: identity.channel.value)
        } else if decision.kind == .allow, let gap = decision.gap {
            decision.reason = .init(gap)
        }
    }
}

extension Decision {
    /// Becomes what a rule says that is stricter than `allow`.
    fileprivate mutating func take(_ ruling: Ruling) {
        self.kind = ruling.kind
        self.reason = ruling.reason
        self.warning = ruling.warning
        if ruling.kind == .maintenance { self.maintenance = ruling.maintenance }
    }
}
