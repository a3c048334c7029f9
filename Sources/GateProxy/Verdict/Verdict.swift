package import GatePolicy
import GateWire

/// A decision, with everything that the gate writes as a result.
///
/// A verdict is rendered once, and used for all requests with the same identity or class.
package final class Verdict: Sendable {
    package let decision: Decision
    /// The index of the verdict's terms in the event loop's `RequestTally`.
    let tallyPlace: Int
    /// The index of the verdict's outcome in the event loop's `CensusTally`, or `nil` if it is not counted there.
    let outcomePlace: Int?
    /// The backend for the request, or `nil` for the default backend.
    let route: BackendRoute?
    /// The fields to add to the request.
    let upstreamFields: RenderedFields
    /// The bit set of the identity fields to remove from the request.
    ///
    /// Bit n represents the field whose role has index n.
    let droppedFields: UInt64
    /// The fields to add to the backend's response.
    let clientFields: RenderedFields
    /// The denial, or `nil` if the request is allowed; `WorkerRules.denial` inserts the version.
    let denial: RenderedAnswer?
    /// The access log fields for the decision.
    let logFields: [UInt8]
    /// The access log fields for the client, which precede those for the decision.
    let clientLogFields: [UInt8]
    /// The class of clients that the verdict is valid for, or `nil` if it is not valid for a whole class.
    ///
    /// The values of each client in the class are read from its request head, both for the backend
    /// and for the log, where they replace `clientLogFields`.
    let members: ClassMembers?
    /// The part of the identity that each identity field contains, empty if `members` is `nil`.
    ///
    /// Element n belongs to the field whose role has index n.
    let identityParts: [IdentityPart?]
    /// The time at which the verdict must be computed again, or `nil` if it never expires.
    let validUntil: Timestamp?
    /// The time at which the verdict was computed, or `nil` if it does not depend on the time.
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
        members: ClassMembers? = nil,
        backends: [String] = []
    ) {
        self.route = decision.route.map { BackendRoute($0, among: backends) }
        self.logFields = logFields
        self.clientLogFields = clientLogFields
        self.members = members
        self.identityParts = members?.identityParts ?? []
        self.decision = decision
        self.tallyPlace = tallyPlace
        self.outcomePlace = outcomePlace
        self.decidedAt = now
        // A value of `Retry-After` is accurate for only one second.
        let nextSecond = now.map { Timestamp(secondsSinceEpoch: $0.secondsSinceEpoch + 1) }
        self.validUntil = answer?.retryAt == nil ? decision.validUntil : nextSecond
        // The added identity fields differ between the members of a class.
        let added = members == nil ? upstreamIdentity.add : []
        self.upstreamFields = RenderedFields(added + decision.backendFields)
        var dropped: UInt64 = 0
        for name in upstreamIdentity.drop {
            guard let index = identityHeaderNames.prefix(64).firstIndex(of: name) else { continue }
            dropped |= 1 << UInt64(index)
        }
        self.droppedFields = dropped
        self.clientFields = RenderedFields(hint)
        self.denial = answer.map { RenderedAnswer($0) }
    }

    /// Creates a copy of a verdict with a different denial.
    init(_ verdict: Verdict, denial: RenderedAnswer) {
        self.decision = verdict.decision
        self.tallyPlace = verdict.tallyPlace
        self.outcomePlace = verdict.outcomePlace
        self.route = verdict.route
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

    /// Returns the fields to add to the request for values that the client sends only in its version field.
    func addedFields(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> [HeaderField] {
        self.members?.fields(of: head, in: bytes)?.fields(in: bytes) ?? []
    }
}

/// A verdict with its key.
///
/// This is a class, so that a cache and the connections that use the verdict share the key.
final class KnownVerdict: Sendable {
    let key: VerdictKey
    let verdict: Verdict

    init(_ verdict: Verdict, for key: VerdictKey) {
        self.key = key
        self.verdict = verdict
    }

    /// Returns whether the key is equal to another one, which is compared in place.
    @inline(never)
    func has(_ key: borrowing VerdictKey) -> Bool { self.key.isEqual(to: key) }
}

/// The last verdict of a connection.
struct RememberedVerdict {
    /// The `WorkerRules.number` of the rules that the verdict is based on.
    let rulesNumber: Int
    let known: KnownVerdict
}

/// The named backend that a verdict selects.
struct BackendRoute: Equatable {
    /// The index of the backend in the settings, or `nil` if they contain no backend of that name.
    let index: Int?
    /// Whether requests that cannot reach this backend are sent to the default backend.
    let fallsBack: Bool

    /// Finds the backend among the names in the settings.
    init(_ destination: Decision.Destination, among names: [String]) {
        self.index = names.firstIndex(of: destination.backend)
        self.fallsBack = destination.fallback == .default
    }
}
