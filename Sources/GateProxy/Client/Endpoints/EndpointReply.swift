import GatePolicy
import GateWire

/// The gate's reply to a request for one of its endpoints.
enum EndpointReply {
    case answer(RenderedAnswer)
    /// An event stream, which starts with this status.
    case stream(LaunchStatus)
}

extension LoopContext {
    /// Returns the reply to a request for an endpoint, and counts the request.
    ///
    /// - Parameters:
    ///   - head: The head of the request.
    ///   - facts: The facts about the head.
    ///   - bytes: The bytes of the head.
    ///   - endpoint: The endpoint.
    ///   - rules: The current rules.
    ///   - address: The address of the client.
    ///   - chunksEvents: Whether the content of an event stream is sent in chunks.
    /// - Returns: The reply.
    func reply(
        to head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        for endpoint: ClientEndpoint,
        by rules: WorkerRules,
        address: String,
        chunksEvents: Bool
    ) -> EndpointReply {
        guard endpoint != .unknown else { return .answer(EndpointAnswer.notFound) }
        guard !facts.isPreflight else {
            let requested = head.value(of: "access-control-request-headers", in: bytes)
            return .answer(EndpointAnswer.preflight(requestedHeaders: requested))
        }
        guard facts.isHead || head.method("GET", in: bytes) else {
            return .answer(EndpointAnswer.methodNotAllowed)
        }
        if case .testFlight(let question) = endpoint {
            let confirmed = self.confirmedAt
            return .answer(
                rules.testFlightAnswer(question, on: head, in: bytes, confirmed: confirmed)
            )
        }
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
