import GatePolicy
import GateWire

/// Methods that handle the passes and previews in the `X-VersionGate-…` fields of requests.
extension LoopContext {
    /// Returns the verdict for the client's pass, or `verdict` if no pass can change it or there is no valid pass.
    ///
    /// The verdict for a pass is not cached. Only passes in new requests are counted.
    func passed(
        _ verdict: Verdict,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        _ rules: WorkerRules,
        for purpose: PassCheck.Purpose
    ) -> Verdict {
        guard verdict.decision.isLiftable, let passes = self.settings.passes,
            let field = PassField(of: head, in: bytes)
        else { return verdict }
        let query = facts.offersUpgrade ? rules.identityQuery(of: head, in: bytes) : .none
        let client = rules.identify(head, in: bytes, query: query)
        let check = PassCheck(passes: passes, purpose: purpose)
        switch check.read(field, of: client, by: rules.ruleSet, at: rules.now()) {
        case .valid(let pass):
            return rules.verdict(
                passedBy: pass,
                inPlaceOf: verdict,
                for: client,
                on: head,
                facts: facts,
                in: bytes
            )
        case .refused(let refusal):
            if case .request = purpose { self.counters.passes[refusal, default: 0] += 1 }
            return verdict
        }
    }

    /// Returns the preview that a request asks for, or `nil` if there is no valid preview token.
    ///
    /// `counts` indicates whether to count the preview request; it is `false` if the request has already been counted.
    func preview(in head: RequestHead, _ bytes: Span<UInt8>, counts: Bool) -> Preview? {
        guard let read = self.settings.previews,
            let field = head.value(of: "x-versiongate-preview", in: bytes)
        else { return nil }
        let reading = read(field, self.wallClock())
        switch reading {
        case .shows(let preview):
            if counts { self.counters.previewsShown += 1 }
            return preview
        case .expired:
            if counts { self.counters.previewsExpired += 1 }
        case .forged:
            if counts { self.counters.previewsForged += 1 }
        }
        return nil
    }

    /// Returns the status of the client that sent the request, including its preview and its pass.
    ///
    /// `readsFields` indicates whether the request may have a preview or a pass, and `countsPreview` indicates whether
    /// to count the preview.
    ///
    /// - Returns: The status, and the names of the request fields on which the status can depend, for `Vary`; `nil` if
    ///   the query describes no valid request.
    func launchStatus(
        on head: RequestHead,
        in bytes: Span<UInt8>,
        address: String,
        by rules: WorkerRules,
        readsFields: Bool,
        countsPreview: Bool
    ) -> (status: LaunchStatus, inputs: String)? {
        guard readsFields else {
            let status = rules.launchStatus(on: head, in: bytes, address: address)
            return status.map { ($0, rules.ruleSet.answerInputs) }
        }
        let preview = self.preview(in: head, bytes, counts: countsPreview)
        let field = PassField(of: head, in: bytes)
        let check = self.settings.passes.map { PassCheck(passes: $0, purpose: .inspection) }
        let status = rules.launchStatus(on: head, in: bytes, address: address, preview: preview) {
            guard let check, let field else { return nil }
            let reading = check.read(field, of: $0, by: rules.ruleSet, at: rules.now())
            guard case .valid(let pass) = reading else { return nil }
            return pass
        }
        return status.map { ($0, rules.ruleSet.inputs(of: $0, isPreview: preview != nil)) }
    }
}
