extension Judge {
    /// Returns the decision that a tester sees: the previewed one, with the terms of the first rule
    /// that matches the client and has such terms.
    ///
    /// A preview never makes a decision less strict, and never applies to requests without an
    /// evaluation.
    func decision(
        _ decided: Decision,
        previewing preview: Preview,
        for identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> Decision {
        guard decided.reason != .exempt, decided.reason != .preflight,
            preview.kind.decision > decided.kind, now < preview.until
        else { return decided }
        var decision = decided
        decision.kind = preview.kind.decision
        decision.warning = nil
        decision.brownout = nil
        decision.maintenance = nil
        decision.ruleID = nil
        decision.ruleIndex = nil
        decision.upgrade = .none
        decision.validUntil = Timestamp.earlier(decided.validUntil, preview.until)
        let subject = CompiledRule.Subject(identity, address: address)
        if let rule = self.example(of: preview.kind, for: subject, in: scope) {
            let stage = rule.stage(for: subject, matchingUpTo: [], at: now)
            decision.ruleID = rule.definition.id
            decision.ruleIndex = rule.place
            decision.upgrade = UpgradeTerms(
                rule.definition,
                Ruling(store: stage.store),
                for: identity
            )
        }
        switch preview.kind {
        case .recommend: decision.reason = .belowRecommended
        case .require: decision.reason = .belowMinimum
        case .brownout:
            decision.reason = .brownout(.belowMinimum, until: preview.until)
            decision.brownout = BrownoutWindow(from: now, until: preview.until)
        case .maintenance:
            decision.reason = .maintenance(until: preview.until)
            decision.maintenance = MaintenanceWindow(from: now, until: preview.until)
        }
        return decision
    }

    /// Returns the rule whose terms a preview shows; `nil` for the built-in texts.
    private func example(
        of kind: Preview.Kind,
        for subject: CompiledRule.Subject,
        in scope: RequestScope
    ) -> CompiledRule? {
        let fitting = self.rules.filter { $0.gaps(of: subject, in: scope) == [] }
        let example = fitting.first { rule in
            let definition = rule.definition
            return switch kind {
            case .maintenance: definition.maintenance != nil
            case .recommend: definition.recommendsSomething
            case .require, .brownout: definition.minimum != nil || definition.minimumBuild != nil
            }
        }
        // Notices about old versions do not fit a maintenance.
        return example ?? (kind == .maintenance ? nil : fitting.first)
    }
}
