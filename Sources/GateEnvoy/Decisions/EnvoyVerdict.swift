import GatePolicy

/// A decision, with the header fields, metadata and response that the module passes to Envoy.
final class EnvoyVerdict: Sendable {
    /// The response that replaces the backend's response.
    struct Denial: Sendable {
        let answer: Answer
        let fields: FieldBlock
        /// The offsets in the body at which the client's version is inserted, in ascending order.
        let gaps: [Int]

        init(_ answer: Answer, gaps: [Int] = []) {
            self.answer = answer
            self.fields = FieldBlock(answer.fields)
            self.gaps = gaps
        }

        /// Returns the header lines of the denial for a web app on another origin.
        func fields(forOrigin origin: String) -> FieldBlock {
            FieldBlock(self.answer.fields + Answer.crossOriginFields(origin: origin))
        }
    }

    let kind: Decision.Kind
    /// The names of the client's identity fields to remove from the request.
    let dropped: FieldBlock
    /// The fields to set in the request.
    let requestFields: FieldBlock
    /// The backend that a rule selects, whose name is also in `requestFields`; `nil` for the default backend.
    let backend: String?
    /// The fields to add to the backend's response.
    let responseFields: FieldBlock
    let denial: Denial?
    /// The metadata for Envoy's access log: `decision`, and `revision`, `route` and `rule` if a rule decided.
    let metadata: FieldBlock
    /// The index of the request's labels in the thread's `RequestTally`.
    let tallyPlace: Int
    /// The second at which the decision expires; `nil` if it never expires.
    let validUntil: Timestamp?
    private let decidedAt: Timestamp

    init(
        _ decision: Decision,
        of revision: String,
        tallyPlace: Int,
        upstream: UpstreamIdentity = UpstreamIdentity(),
        hint: [HeaderField] = [],
        denial: Denial? = nil,
        at now: Timestamp
    ) {
        self.kind = decision.kind
        self.dropped = FieldBlock(upstream.drop.map { HeaderField(name: $0, value: "") })
        self.requestFields = FieldBlock(upstream.add + decision.backendFields)
        self.backend = decision.route?.backend
        self.responseFields = FieldBlock(hint)
        self.denial = denial
        // Each metadata entry increases the cost of the filter by about a tenth.
        let facts = decision.facts(of: revision)
        let isPlain =
            decision.kind == .allow && decision.ruleID == nil && self.backend == nil
            && decision.observed.isEmpty
        self.metadata = FieldBlock(
            facts.prefix(isPlain ? 1 : facts.count)
                .map { HeaderField(name: $0.name, value: $0.value) }
        )
        self.tallyPlace = tallyPlace
        self.decidedAt = now
        // A response with `Retry-After` is accurate for only one second.
        let nextSecond = Timestamp(secondsSinceEpoch: now.secondsSinceEpoch + 1)
        self.validUntil = denial?.answer.retryAt == nil ? decision.validUntil : nextSecond
    }

    /// Returns whether the decision still applies; the clock is read only if the decision can expire.
    func isValid(_ now: () -> Timestamp) -> Bool {
        guard let validUntil else { return true }
        let now = now()
        return now < validUntil && self.decidedAt <= now
    }
}

/// Denials that all clients in a class share, into which each client's version is inserted.
extension EnvoyVerdict.Denial {
    /// Creates a denial from which the placeholders in the body are removed; `gaps` contains their offsets.
    ///
    /// The result is `nil` if a header field contains a placeholder.
    init?(pattern: Answer) {
        guard !pattern.fields.contains(where: { $0.value.contains(VersionGaps.standIn) }) else {
            return nil
        }
        let body = VersionGaps(cutFrom: pattern.body)
        var answer = pattern
        answer.body = body.text
        self.init(answer, gaps: body.places)
    }

    /// Returns the content with the version in a version line inserted.
    func body(with line: Span<UInt8>) -> [UInt8] {
        var body: [UInt8] = []
        _ = ClientClasses.withVersion(in: line) { version in
            body.reserveCapacity(self.answer.body.count + self.gaps.count * version.count)
            let text = self.answer.body
            var start = 0
            for gap in self.gaps {
                body.append(text.span.extracting(start..<gap))
                body.append(version)
                start = gap
            }
            body.append(text.span.extracting(start..<text.count))
        }
        return body
    }

    /// Returns whether this denial with the version in `line` is identical to a client's own response.
    func isSame(as own: Answer, with line: Span<UInt8>) -> Bool {
        self.answer.status == own.status && self.answer.fields == own.fields
            && self.body(with: line) == own.body
    }
}
