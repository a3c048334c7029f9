package import GatePolicy

/// A decision with everything that the data plane writes because of it, rendered once and used for
/// every request of the same identity.
package final class Verdict: Sendable {
    package let decision: Decision
    /// Field lines that are added to the request for the backend.
    let upstreamFields: [UInt8]
    /// One bit for each identity field whose lines are removed from the request, by the index of
    /// its role.
    let droppedFields: UInt64
    /// Field lines that are added to the backend's answer.
    let clientFields: [UInt8]
    /// What the client gets instead of the backend's answer.
    let denial: Denial?
    /// The second from which on it has to be worked out anew; `nil`: it holds for ever.
    let validUntil: Timestamp?

    /// The gate's own answer, rendered but for what differs from request to request.
    struct Denial: Sendable {
        let status: Int
        /// The status line and the field lines, without the empty line.
        let head: [UInt8]
        let body: [UInt8]
    }

    init(
        decision: Decision,
        upstreamIdentity: UpstreamIdentity = UpstreamIdentity(),
        identityHeaderNames: [String] = [],
        hint: [HeaderField] = [],
        answer: Answer? = nil,
        now: Timestamp? = nil
    ) {
        self.decision = decision
        // A `Retry-After` counts down, so that an answer with one is as it should be for a second.
        let nextSecond = now.map { Timestamp(secondsSinceEpoch: $0.secondsSinceEpoch + 1) }
        self.validUntil = answer?.retryAt == nil ? decision.validUntil : nextSecond
        self.upstreamFields = Self.lines(
            upstreamIdentity.add
                + [HeaderField(name: "X-VersionGate-Decision", value: decision.kind.rawValue)]
        )
        var dropped: UInt64 = 0
        for (index, name) in identityHeaderNames.prefix(64).enumerated()
        where upstreamIdentity.drop.contains(name) {
            dropped |= 1 << UInt64(index)
        }
        self.droppedFields = dropped
        self.clientFields = Self.lines(hint)
        self.denial = answer.map { answer in
            let fields =
                answer.fields + [
                    HeaderField(name: "Content-Length", value: String(answer.body.count))
                ]
            return Denial(
                status: answer.status,
                head: Array(StatusLine.text(answer.status).utf8) + Self.lines(fields),
                body: answer.body
            )
        }
    }

    /// The field lines that let a web app on another origin read a denial.
    static func crossOriginLines(_ origin: String) -> [UInt8] {
        self.lines(Answer.crossOriginFields(origin: origin))
    }

    private static func lines(_ fields: [HeaderField]) -> [UInt8] {
        fields.flatMap { Array("\($0.name): \($0.value)\r\n".utf8) }
    }
}
