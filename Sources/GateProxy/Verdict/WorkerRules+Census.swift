import GateCensus
import GatePolicy

/// Requests are counted by their clients.
extension WorkerRules {
    /// Counts a request on which there is a verdict.
    func count(
        _ verdict: Verdict,
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        for census: CensusTally
    ) {
        guard let fields = self.censusFields, let outcome = verdict.outcomePlace else { return }
        let reading = fields.read(
            head,
            facts: facts,
            in: bytes,
            from: CensusFields.mixed(census.seed, UInt64(outcome))
        )
        // The digest leaves out what stands in a query.
        let cell: Int
        if !facts.offersUpgrade, let known = census.cell(for: reading.digest) {
            cell = known
        } else if census.isFull {
            cell = census.otherCell(outcome: outcome)
        } else {
            let identity: ClientIdentity
            if let members = verdict.members {
                identity = members.identity(of: head, in: bytes)
            } else {
                let query = facts.offersUpgrade ? self.identityQuery(of: head, in: bytes) : .none
                identity = self.identify(head, in: bytes, query: query)
            }
            cell = census.cell(
                for: CensusClient(identity),
                outcome: outcome,
                digest: facts.offersUpgrade ? nil : reading.digest
            )
        }
        if reading.device.isEmpty {
            census.count(cell)
        } else {
            census.count(
                cell,
                device: bytes.extracting(reading.device),
                digest: reading.deviceDigest
            )
        }
    }

    /// The place of what happens to requests of a scope; `nil` without a census.
    func outcomePlace(of terms: RequestTerms, in scope: RequestScope) -> Int? {
        self.census?.place(
            of: CensusOutcome(
                paths: CensusPaths(scope, in: self.ruleSet),
                kind: terms.kind,
                rule: terms.rule
            )
        )
    }
}
