import GatePolicy

/// A decision, with everything that the module passes to Envoy as a result.
final class EnvoyVerdict: Sendable {
    /// The response in place of the backend's.
    struct Denial: Sendable {
        let answer: Answer
        /// Whether the response is sent as a mere head.
        ///
        /// Envoy takes the media type away from a local reply without content, which gRPC-Web clients need. For gRPC,
        /// it sets its own.
        let isHead: Bool
        let fields: FieldBlock

        init(_ answer: Answer) {
            let isCall = answer.fields.contains {
                $0.name == "Content-Type" && $0.value == "application/grpc"
            }
            self.answer = answer
            self.isHead = answer.body.isEmpty && !isCall
            self.fields = Self.block(answer, isHead: self.isHead)
        }

        /// Returns the header lines for a web app on another origin.
        func fields(forOrigin origin: String) -> FieldBlock {
            var answer = self.answer
            answer.fields += Answer.crossOriginFields(origin: origin)
            return Self.block(answer, isHead: self.isHead)
        }

        private static func block(_ answer: Answer, isHead: Bool) -> FieldBlock {
            let status = HeaderField(name: ":status", value: "\(answer.status)")
            return FieldBlock((isHead ? [status] : []) + answer.fields)
        }
    }

    let kind: Decision.Kind
    /// The names of the client's identity fields that the backend must not get.
    let dropped: FieldBlock
    /// The fields to set in the request.
    let requestFields: FieldBlock
    /// The fields to add to the backend's response.
    let responseFields: FieldBlock
    let denial: Denial?
    /// The second at which the decision must be made again; `nil` if it never expires.
    private let validUntil: Timestamp?
    private let decidedAt: Timestamp

    init(
        _ decision: Decision,
        upstream: UpstreamIdentity = UpstreamIdentity(),
        hint: [HeaderField] = [],
        answer: Answer? = nil,
        at now: Timestamp
    ) {
        self.kind = decision.kind
        self.dropped = FieldBlock(upstream.drop.map { HeaderField(name: $0, value: "") })
        self.requestFields = FieldBlock(upstream.add + decision.backendFields)
        self.responseFields = FieldBlock(hint)
        self.denial = answer.map(Denial.init)
        self.decidedAt = now
        // A response with `Retry-After` is accurate for only one second.
        let nextSecond = Timestamp(secondsSinceEpoch: now.secondsSinceEpoch + 1)
        self.validUntil = answer?.retryAt == nil ? decision.validUntil : nextSecond
    }

    /// Whether the decision still applies; the clock is only read if it can expire.
    func isValid(_ now: () -> Timestamp) -> Bool {
        guard let validUntil else { return true }
        let now = now()
        return now < validUntil && self.decidedAt <= now
    }
}
