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
