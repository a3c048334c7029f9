/// Previews of decisions for testers.
extension RuleSet {
    /// Returns the decision that a tester sees instead of the actual one.
    package func decision(
        _ decided: Decision,
        previewing preview: Preview,
        for identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> Decision {
        self.judge.decision(
            decided,
            previewing: preview,
            for: identity,
            in: scope,
            at: now,
            address: address
        )
    }

    /// Returns the launch status for a tester.
    package func launchStatus(
        previewing preview: Preview,
        for identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> LaunchStatus {
        var status = self.clientStatus(of: identity, in: scope, at: now, address: address)
        status.decision = self.decision(
            status.decision,
            previewing: preview,
            for: identity,
            in: scope,
            at: now,
            address: address
        )
        status.storeURL = status.decision.upgrade.storeURL ?? status.storeURL
        return self.responder.status(status, identity)
    }

    /// The request header fields that a response to a tester can depend on, for `Vary`.
    package var previewedAnswerInputs: String {
        "\(self.answerInputs), \(Preview.fieldName.lowercased())"
    }

    /// Returns the response with the header fields of a preview: it is marked as such, and `Vary`
    /// includes the preview field.
    package func marked(_ answer: Answer, as preview: Preview) -> Answer {
        var answer = answer
        answer.fields.removeAll { $0.name == "Vary" }
        answer.fields.append(HeaderField(name: "Vary", value: self.previewedAnswerInputs))
        answer.fields += Self.marks(of: preview)
        return answer
    }

    /// Returns the header fields for the backend's response to a tester, with which caches do not
    /// send it to other clients.
    package func marked(_ hint: [HeaderField], as preview: Preview) -> [HeaderField] {
        hint + [HeaderField(name: "Vary", value: Preview.fieldName.lowercased())]
            + Self.marks(of: preview)
    }

    private static func marks(of preview: Preview) -> [HeaderField] {
        [HeaderField(name: Preview.fieldName, value: preview.kind.rawValue)]
    }
}
