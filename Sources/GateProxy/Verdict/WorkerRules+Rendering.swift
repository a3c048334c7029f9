import GatePolicy

/// The answer, the fields and the log fields of a decision, rendered once.
extension WorkerRules {
    /// A client with one of its requests.
    struct Subject {
        let identity: ClientIdentity
        let scope: RequestScope
        let form: AnswerForm
    }

    /// The verdict with everything that is rendered of a decision; `preview`: asked for by a tester.
    func render(
        _ decision: Decision,
        on subject: Subject,
        upstream: UpstreamIdentity,
        _ members: ClassMembers?,
        at now: Timestamp,
        as preview: Preview? = nil
    ) -> Verdict {
        let (ruleSet, identity) = (self.ruleSet, subject.identity)
        let terms = ruleSet.terms(of: decision, for: identity)
        var hint = ruleSet.hint(for: decision)
        var answer = ruleSet.answer(to: decision, for: identity, as: subject.form, at: now)
        if let preview {
            hint = ruleSet.marked(hint, as: preview)
            answer = answer.map { ruleSet.marked($0, as: preview) }
        }
        return Verdict(
            decision: decision,
            tallyPlace: self.tally.place(of: terms),
            outcomePlace: self.outcomePlace(of: terms, in: subject.scope),
            upstreamIdentity: upstream,
            identityHeaderNames: self.identityHeaderNames,
            hint: hint,
            answer: answer,
            logFields: self.logFormat.map { AccessLogFields.rendered(decision, as: $0) } ?? [],
            clientLogFields: self.logFormat.map {
                AccessLogFields.rendered(client: members == nil ? identity : nil, as: $0)
            } ?? [],
            now: now,
            members: members
        )
    }
}
