import GateCensus
import GatePolicy
import GateWire
import NIOCore

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

/// The access log.
extension ClientConnection {
    func beginLogEntry(
        of log: AccessLog,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        verdict: Verdict
    ) {
        let loop = self.loop
        let line = ForwardedRequest.clientRequestID(head, facts: facts, bytes: bytes)
        self.request.logEntry = log.begin(
            head,
            in: bytes,
            of: self.clientAddress(head, facts: facts, in: bytes),
            isHTTP2: self.transport.isStream,
            verdict: verdict,
            id: line.map { .given($0) } ?? .new(loop.nextRequestID()),
            at: loop.measuresLatency ? self.request.timing.headReadAt : .now()
        )
    }

    func finishLogEntry() {
        guard let log = self.loop.accessLog, let entry = self.request.logEntry.take()
        else { return }
        log.end(entry)
    }
}
