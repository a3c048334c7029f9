/// Previews of decisions for testers.
extension RuleSet {
    /// Returns the decision that a tester sees.
    ///
    /// The result is the previewed decision, with the terms of the first rule that matches the
    /// client and has suitable terms. A preview never makes a decision less strict, and never
    /// applies to requests that are not evaluated.
    package func decision(
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

    /// Returns the response to a client that requests its status.
    ///
    /// The request may contain a preview, a pass, or both. `pass` returns the pass if it is valid,
    /// and is called only if the rules deny or route the client.
    package func launchStatus(
        previewing preview: Preview? = nil,
        passing pass: () -> Pass? = { nil },
        for identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> LaunchStatus {
        var status = self.clientStatus(of: identity, in: scope, at: now, address: address)
        if status.decision.isLiftable, let pass = pass() {
            // A client with a pass does not get the floors or the store URL of the rules.
            status = ClientStatus(decision: status.decision.passed(by: pass))
            status.decision.ruleID = nil
        }
        if let preview {
            status.decision = self.decision(
                status.decision,
                previewing: preview,
                for: identity,
                in: scope,
                at: now,
                address: address
            )
            status.storeURL = status.decision.upgrade.storeURL ?? status.storeURL
        }
        return self.responder.status(status, identity)
    }

    /// Returns the request header fields that the status of a client can depend on, for `Vary`.
    package func inputs(of status: LaunchStatus, isPreview: Bool) -> String {
        let inputs = isPreview ? self.previewedAnswerInputs : self.answerInputs
        guard status.decision.passID != nil else { return inputs }
        return "\(inputs), \(Pass.fieldName.lowercased())"
    }

    /// The request header fields that a response to a tester can depend on, for `Vary`.
    private var previewedAnswerInputs: String {
        "\(self.answerInputs), \(Preview.fieldName.lowercased())"
    }

    /// Returns the response, marked as a preview and with the preview field in `Vary`.
    package func marked(_ answer: Answer, as preview: Preview) -> Answer {
        var answer = answer
        answer.fields.removeAll { $0.name == "Vary" }
        answer.fields.append(HeaderField(name: "Vary", value: self.previewedAnswerInputs))
        answer.fields.append(preview.mark)
        return answer
    }

    /// Returns the header fields to add to the backend's response to a tester.
    ///
    /// The fields mark the preview, and prevent caches from sending the response to other clients.
    package func marked(_ hint: [HeaderField], as preview: Preview) -> [HeaderField] {
        hint + [
            HeaderField(name: "Vary", value: Preview.fieldName.lowercased()), preview.mark,
        ]
    }

    /// Returns the rule whose terms a preview shows; `nil` if the preview shows the built-in texts.
    private func example(
        of kind: Preview.Kind,
        for subject: CompiledRule.Subject,
        in scope: RequestScope
    ) -> CompiledRule? {
        let fitting = self.judge.rules.filter { $0.gaps(of: subject, in: scope) == [] }
        let example = fitting.first { rule in
            let definition = rule.definition
            return switch kind {
            case .maintenance: definition.maintenance != nil
            case .recommend: definition.recommendsSomething
            case .require, .brownout: definition.minimum != nil || definition.minimumBuild != nil
            }
        }
        // Notices about old versions are not suitable for a maintenance window.
        return example ?? (kind == .maintenance ? nil : fitting.first)
    }
}
