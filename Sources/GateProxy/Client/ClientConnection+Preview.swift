import GateCensus
import GatePolicy
import GateWire

/// Testers who ask for a decision.
///
/// They are counted by what the rules decide, like everybody; no verdict that they see is remembered.
extension ClientConnection {
    /// The verdict that a tester sees; the one that was made, for everybody else.
    func previewed(
        _ verdict: Verdict,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        guard let preview = self.preview(in: head, bytes, counts: true) else { return verdict }
        // The answer is to a decision that was not made.
        self.request.censusReceipt = .none
        let address = self.clientAddress(head, facts: facts, in: bytes)
        return self.rules.preview(
            preview,
            inPlaceOf: verdict,
            on: head,
            facts: facts,
            in: bytes,
            address: address
        )
    }

    /// The decision that a request asks for; `nil` where it asks for none, and where nobody may ask.
    ///
    /// `counts`: whether the request is a new one.
    func preview(in head: RequestHead, _ bytes: Span<UInt8>, counts: Bool) -> Preview? {
        guard let read = self.loop.settings.previews,
            let field = head.value(of: "x-versiongate-preview", in: bytes)
        else { return nil }
        let reading = read(field, self.loop.wallClock())
        switch reading {
        case .shows(let preview):
            if counts { self.loop.counters.previewsShown += 1 }
            return preview
        case .expired:
            if counts { self.loop.counters.previewsExpired += 1 }
        case .forged:
            if counts { self.loop.counters.previewsForged += 1 }
        }
        return nil
    }
}

extension WorkerRules {
    /// The verdict that a tester sees in place of the one that was made.
    func preview(
        _ preview: Preview,
        inPlaceOf verdict: Verdict,
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        address: String
    ) -> Verdict {
        let query = facts.offersUpgrade ? self.identityQuery(of: head, in: bytes) : .none
        let subject = Subject(
            identity: self.identify(head, in: bytes, query: query),
            scope: self.scope(of: head, in: bytes),
            form: facts.answerForm
        )
        let now = self.now()
        let decision = self.ruleSet.decision(
            verdict.decision,
            previewing: preview,
            for: subject.identity,
            in: subject.scope,
            at: now,
            address: address
        )
        guard decision != verdict.decision else { return verdict }
        return self.render(
            decision,
            on: subject,
            upstream: self.upstreamIdentity(of: subject.identity),
            nil,
            at: now,
            as: preview
        )
    }
}
