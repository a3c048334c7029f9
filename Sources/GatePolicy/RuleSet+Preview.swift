/// Decisions that a tester wants to see.
extension RuleSet {
    /// The decision that a tester sees in place of the one that was made.
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

    /// The answer to a tester who asks for the status of the client.
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

    /// The fields that an answer to a tester can depend on, for `Vary`.
    package var previewedAnswerInputs: String {
        "\(self.answerInputs), \(Preview.fieldName.lowercased())"
    }

    /// The same answer for a tester: it says that it is a preview, and of which field.
    package func marked(_ answer: Answer, as preview: Preview) -> Answer {
        var answer = answer
        answer.fields.removeAll { $0.name == "Vary" }
        answer.fields.append(HeaderField(name: "Vary", value: self.previewedAnswerInputs))
        answer.fields += Self.marks(of: preview)
        return answer
    }

    /// The fields that go with the backend's answer to a tester: a cache must keep it for nobody else.
    package func marked(_ hint: [HeaderField], as preview: Preview) -> [HeaderField] {
        hint + [HeaderField(name: "Vary", value: Preview.fieldName.lowercased())]
            + Self.marks(of: preview)
    }

    private static func marks(of preview: Preview) -> [HeaderField] {
        [HeaderField(name: Preview.fieldName, value: preview.kind.rawValue)]
    }
}
