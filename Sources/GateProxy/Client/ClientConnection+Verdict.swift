import GateCensus
import GatePolicy
import GateWire
import NIOCore

/// Verdicts on requests.
extension ClientConnection {
    @inline(__always)
    func verdict(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        self.rules.verdict(
            on: head,
            facts: facts,
            in: bytes,
            address: self.rules.dependsOnAddress
                ? self.clientAddress(head, facts: facts, in: bytes) : "",
            last: &self.heads.lastVerdict
        )
    }

    /// Evaluates a request and counts the verdict.
    @inline(__always)
    func countedVerdict(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        let verdict = self.verdict(on: head, facts: facts, in: bytes)
        self.count(verdict, on: head, facts: facts, in: bytes)
        return verdict
    }

    /// Counts the verdict on a request.
    @inline(__always)
    func count(
        _ verdict: Verdict,
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) {
        let rules = self.rules
        self.loop.tally.count(verdict.tallyPlace)
        if let census = self.loop.census {
            self.request.censusReceipt = rules.count(
                verdict,
                on: head,
                facts: facts,
                in: bytes,
                for: census
            ) {
                let address = self.clientAddress(head, facts: facts, in: bytes)
                return ClientNetwork(address)?.place ?? .unknown
            }
        }
    }

    /// Evaluates a request that has a field of the gate, applies its pass, and counts the verdict.
    @inline(never)
    func countedVerdictWithPass(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict {
        let rules = self.rules
        let decided = self.verdict(on: head, facts: facts, in: bytes)
        let verdict = self.passed(decided, head, facts: facts, in: bytes, rules, for: .request)
        self.count(verdict, on: head, facts: facts, in: bytes)
        return verdict
    }

    /// The verdict of the current rules on the request of a response in progress, and the denial if there is one.
    func currentVerdict(on received: ReceivedHead) -> (Verdict, RenderedAnswer?)? {
        let rules = self.loop.rules
        let head = received.head(by: rules.table)
        let buffer = received.bytes
        let bytes = buffer.readableBytesUInt8Span
        guard let facts = try? RequestFacts(head, in: bytes) else { return nil }
        var last: RememberedVerdict?
        var verdict = rules.verdict(
            on: head,
            facts: facts,
            in: bytes,
            address: self.clientAddress(head, facts: facts, in: bytes),
            last: &last
        )
        if facts.hasGateOwnedField {
            let held = self.request.verdict?.decision.passID
            verdict = self.passed(
                verdict,
                head,
                facts: facts,
                in: bytes,
                rules,
                for: .response(held)
            )
        }
        return (verdict, rules.denial(of: verdict, on: head, in: bytes))
    }
}

/// Passes.
extension ClientConnection {
    /// The verdict for the client's pass; `verdict` if the rules allow the request, or if there is no valid pass.
    ///
    /// The verdict is not cached. Only the passes of new requests are counted.
    func passed(
        _ verdict: Verdict,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        _ rules: WorkerRules,
        for purpose: PassCheck.Purpose
    ) -> Verdict {
        guard verdict.decision.isLiftable, let passes = self.loop.settings.passes,
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
            if case .request = purpose { self.loop.counters.passes.count(refusal) }
            return verdict
        }
    }

    /// The status of the client that requests it, with its preview and its pass.
    ///
    /// `readsFields`: whether the request may have a preview or a pass; `countsPreview`: whether to count the preview.
    ///
    /// - Returns: The status, and the names of the request fields that it can depend on, for `Vary`; `nil` if the query
    ///   describes no valid request.
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
        let check = self.loop.settings.passes.map { PassCheck(passes: $0, purpose: .inspection) }
        let status = rules.launchStatus(on: head, in: bytes, address: address, preview: preview) {
            guard let check, let field else { return nil }
            let reading = check.read(field, of: $0, by: rules.ruleSet, at: rules.now())
            guard case .valid(let pass) = reading else { return nil }
            return pass
        }
        return status.map { ($0, rules.ruleSet.inputs(of: $0, isPreview: preview != nil)) }
    }
}

/// Previews of decisions.
extension ClientConnection {
    /// The verdict that a tester asks to preview; `verdict` for all other requests.
    ///
    /// Requests with a preview are counted under the verdict of the rules, and previews are not cached.
    func previewed(
        _ verdict: Verdict,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        counts: Bool = true
    ) -> Verdict {
        guard let preview = self.preview(in: head, bytes, counts: counts) else { return verdict }
        // The response belongs to a decision other than the one that was counted.
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

    /// The preview that a request asks for; `nil` if there is none, or if its token is invalid or has expired.
    ///
    /// `counts`: whether to count the preview request; true if it has not been counted yet.
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
