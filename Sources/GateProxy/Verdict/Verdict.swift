package import GatePolicy

/// A decision with everything that the data plane writes because of it, rendered once and used for
/// every request of the same identity, or of the same class.
package final class Verdict: Sendable {
    package let decision: Decision
    /// The place of its terms in the `RequestTally` of the loop.
    let tallyPlace: Int
    /// The place of what happens in the `CensusTally` of the loop; `nil`: it is not counted there.
    let outcomePlace: Int?
    /// Fields that are added to the request for the backend.
    let upstreamFields: RenderedFields
    /// One bit for each identity field whose lines are removed from the request, by the index of
    /// its role.
    let droppedFields: UInt64
    /// Fields that are added to the backend's answer.
    let clientFields: RenderedFields
    /// The answer that the client gets instead of the backend's: `WorkerRules.denial` fills its gaps.
    let denial: RenderedAnswer?
    /// The access log's fields for the decision.
    let logFields: [UInt8]
    /// Those for the client in front of them.
    let clientLogFields: [UInt8]
    /// The class of clients for each of which it holds; what each of them says is read in its head,
    /// for the backend and in place of `clientLogFields`.
    let members: ClassMembers?
    /// The parts of which identity fields speak, by their roles, if it has members; else empty.
    let identityParts: [IdentityPart?]
    /// The second from which on it has to be worked out anew; `nil`: it holds for ever.
    let validUntil: Timestamp?
    /// The second at which it was worked out; `nil`: it depends on no time.
    let decidedAt: Timestamp?

    package init(
        decision: Decision,
        tallyPlace: Int = 0,
        outcomePlace: Int? = nil,
        upstreamIdentity: UpstreamIdentity = UpstreamIdentity(),
        identityHeaderNames: [String] = [],
        hint: [HeaderField] = [],
        answer: Answer? = nil,
        logFields: [UInt8] = [],
        clientLogFields: [UInt8] = [],
        now: Timestamp? = nil,
        members: ClassMembers? = nil
    ) {
        self.logFields = logFields
        self.clientLogFields = clientLogFields
        self.members = members
        self.identityParts = members?.identityParts ?? []
        self.decision = decision
        self.tallyPlace = tallyPlace
        self.outcomePlace = outcomePlace
        self.decidedAt = now
        // A `Retry-After` counts down, so that an answer with one is as it should be for a second.
        let nextSecond = now.map { Timestamp(secondsSinceEpoch: $0.secondsSinceEpoch + 1) }
        self.validUntil = answer?.retryAt == nil ? decision.validUntil : nextSecond
        // The fields of each member of a class are not the same.
        let added = members == nil ? upstreamIdentity.add : []
        self.upstreamFields = Self.upstreamFields(added, decision)
        var dropped: UInt64 = 0
        for name in upstreamIdentity.drop {
            guard let index = identityHeaderNames.prefix(64).firstIndex(of: name) else { continue }
            dropped |= 1 << UInt64(index)
        }
        self.droppedFields = dropped
        self.clientFields = RenderedFields(hint)
        self.denial = answer.map { RenderedAnswer($0) }
    }

    /// The same verdict with another answer.
    init(_ verdict: Verdict, denial: RenderedAnswer) {
        self.decision = verdict.decision
        self.tallyPlace = verdict.tallyPlace
        self.outcomePlace = verdict.outcomePlace
        self.upstreamFields = verdict.upstreamFields
        self.droppedFields = verdict.droppedFields
        self.clientFields = verdict.clientFields
        self.denial = denial
        self.logFields = verdict.logFields
        self.clientLogFields = verdict.clientLogFields
        self.members = verdict.members
        self.identityParts = verdict.identityParts
        self.validUntil = verdict.validUntil
        self.decidedAt = verdict.decidedAt
    }

    private static func upstreamFields(
        _ added: [HeaderField],
        _ decision: Decision
    ) -> RenderedFields {
        let kind = HeaderField(name: "X-VersionGate-Decision", value: decision.kind.rawValue)
        return RenderedFields(added + [kind])
    }
}

/// A verdict with the key that it was found by.
///
/// A class, so that a cache and the connections that go on with it share the key.
final class KnownVerdict: Sendable {
    let key: VerdictKey
    let verdict: Verdict

    init(_ verdict: Verdict, for key: VerdictKey) {
        self.key = key
        self.verdict = verdict
    }

    /// Whether this is its key, compared in place.
    @inline(never)
    func has(_ key: borrowing VerdictKey) -> Bool { self.key.isEqual(to: key) }
}

/// The last verdict of one connection.
struct RememberedVerdict {
    /// That of the rules that it was found by.
    let rulesNumber: Int
    let known: KnownVerdict
}
