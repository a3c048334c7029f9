import GatePolicy
import GateWire

/// Denials with the version of the client inserted.
extension WorkerRules {
    /// Returns the denial for a client; `nil` if the verdict is not a denial.
    func denial(
        of verdict: Verdict,
        on head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> RenderedAnswer? {
        guard let denial = verdict.denial, !denial.isWhole else { return verdict.denial }
        return self.withVersion(of: head, in: bytes) { denial.filled(with: $0) } ?? denial
    }

    /// Returns a verdict for one client only, so that its next request is answered by a plain copy.
    func own(
        _ verdict: Verdict,
        on head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> Verdict {
        guard let denial = verdict.denial, !denial.isWhole,
            let own = self.denial(of: verdict, on: head, in: bytes)
        else { return verdict }
        return Verdict(verdict, denial: own)
    }

    /// Calls `use` with the version of a client, as it appears in the denial; returns `nil` without calling it if there is none.
    func withVersion<Result>(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        _ use: (Span<UInt8>) -> Result
    ) -> Result? {
        self.denials?.withVersion(of: head, in: bytes, use)
    }
}
