import GateCensus
import GatePolicy
import GateWire

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
