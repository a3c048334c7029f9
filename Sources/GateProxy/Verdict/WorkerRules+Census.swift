import GateCensus
import GatePolicy
import GateWire

/// Methods that count clients.
extension WorkerRules {
    /// Counts the client of a request; `place` returns the key of the client's address.
    ///
    /// - Returns: A receipt with which to count the response.
    func count(
        _ verdict: Verdict,
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        for census: CensusTally,
        from place: () -> ClientAddressKey
    ) -> CensusReceipt {
        guard let fields = self.census?.fields, let outcome = verdict.outcomePlace else {
            return .none
        }
        var reading = fields.read(
            head,
            facts: facts,
            in: bytes,
            from: KeyedHash.mixed(census.seed, UInt64(outcome))
        )
        let query = facts.offersUpgrade ? self.identityQuery(of: head, in: bytes) : nil
        if let query { reading.add(query) }
        let cell =
            census.cell(for: reading.digest)
            ?? census.newCell(for: reading.digest, outcome: outcome, by: self.ruleSet) { output in
                fields.write(reading, of: head, in: bytes, to: &output)
                    && (query.map { self.write($0, to: &output) } ?? true)
            }
        census.recordPath(
            of: cell,
            method: bytes.extracting(head.methodStart..<head.methodEnd),
            target: bytes.extracting(head.target.start..<head.target.end)
        )
        if reading.device.isEmpty {
            census.count(cell, from: place)
        } else {
            census.count(
                cell,
                device: bytes.extracting(reading.device),
                digest: reading.deviceDigest,
                from: place
            )
        }
        return census.receipt(for: cell)
    }

    /// Writes the identity from a query.
    ///
    /// - Returns: Whether the output had space for all of it.
    private func write(_ query: QueryParameters, to output: inout OutputSpan<UInt8>) -> Bool {
        for (index, name) in self.ruleSet.identityQueryNames.enumerated() {
            for value in query.values(of: name) {
                guard ClientFieldBuffer.writeQuery(at: index, value, to: &output) else {
                    return false
                }
            }
        }
        return true
    }

    /// Returns the index of the outcome for requests in a scope, or `nil` if there is no census.
    func outcomePlace(of terms: RequestTerms, in scope: RequestScope) -> Int? {
        self.census?.tally.place(
            of: CensusOutcome(
                paths: CensusPaths(scope, in: self.ruleSet),
                kind: terms.kind,
                rule: terms.isPassed ? RuleExpectation.noRule : terms.rule
            )
        )
    }
}
