import GatePolicy
import GateWire

/// The response to a request for an endpoint of the gate.
enum EndpointReply {
    case answer(RenderedAnswer)
    /// An event stream, which starts with this status.
    case stream(LaunchStatus)
}

extension LoopContext {
    /// Returns the response to a request for an endpoint, and counts the request.
    ///
    /// `chunksEvents` indicates whether event streams use chunked transfer coding.
    func reply(
        to head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        for endpoint: ClientEndpoint,
        by rules: WorkerRules,
        address: String,
        chunksEvents: Bool
    ) -> EndpointReply {
        let answer = rules.endpointAnswer(
            endpoint,
            on: head,
            facts: facts,
            in: bytes,
            confirmed: self.confirmedAt
        )
        if let answer { return .answer(answer) }
        let found = self.launchStatus(
            on: head,
            in: bytes,
            address: address,
            by: rules,
            readsFields: facts.hasGateOwnedField,
            countsPreview: true
        )
        guard let (status, inputs) = found else { return .answer(EndpointAnswer.badPath) }
        if endpoint == .events, facts.isHead {
            let vary = rules.ruleSet.answerInputs
            return .answer(EndpointAnswer.events(vary: vary, isChunked: chunksEvents))
        }
        if endpoint == .events, facts.framing == .none { return .stream(status) }
        self.counters.launchChecks += 1
        return .answer(
            EndpointAnswer.status(
                status,
                vary: inputs,
                knownTags: head.entityTags(of: "if-none-match", in: bytes)
            )
        )
    }
}
