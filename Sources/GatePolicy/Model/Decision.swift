/// The decision about a request, the rule that made the decision, and the reason.
package struct Decision: Sendable, Equatable {
    /// The kinds of decisions, in ascending order of strictness.
    package enum Kind: String, Sendable, CaseIterable {
        case allow
        /// The request passes, with a hint.
        case recommend
        /// The client has to upgrade.
        case require
        /// All requests that the rule matches are denied temporarily.
        case maintenance
    }

    /// The decision that a rule or policy in observe mode would have made.
    package struct Observed: Sendable, Equatable {
        /// The ID of the rule; `nil` represents the policy for unidentified clients.
        package let ruleID: String?
        package let kind: Kind
        package let reason: Reason
    }

    /// A denial that a rule defers until a store has the update.
    package struct Held: Sendable, Equatable {
        package let ruleID: String
        /// The time at which the store will have the update; `nil` if it is unknown.
        package let until: Timestamp?
    }

    /// The announcement of a floor to a client that still passes.
    package struct Warning: Sendable, Equatable {
        /// The start of the announcement.
        package let since: Timestamp
        /// The start of enforcement; `nil` if none is planned.
        package let enforcedFrom: Timestamp?
        /// The next brownout before enforcement starts; `nil` if none is planned.
        package var nextBrownout: BrownoutWindow?
    }

    package var kind: Kind
    package var reason: Reason
    /// The ID of the rule that decided; `nil` if no rule did.
    package var ruleID: String?
    /// The index of the deciding rule in the definition; `nil` if no rule decided.
    package var ruleIndex: Int?
    package var observed: [Observed] = []
    /// The denials that are on hold until a store has the release.
    package var held: [Held] = []
    /// The destination of the request; `nil` if the request is denied or goes to the default
    /// backend.
    package var route: Destination?
    /// The destinations that rules in observe mode would have selected.
    package var observedRoutes: [Destination] = []
    /// The required part of the identity that is missing or unparsable; `nil` if there is none.
    ///
    /// The gap is also set for allowed requests.
    package var gap: IdentityGap?
    /// The terms for a client that is denied or gets a hint.
    package var upgrade = UpgradeTerms.none
    /// The dates of a recommendation or a brownout that will become a requirement.
    package var warning: Warning?
    /// The brownout after which the client passes again; `nil` if the denial is permanent.
    package var brownout: BrownoutWindow?
    /// The maintenance window that denies the request.
    ///
    /// For other decisions, this is the next announced window.
    package var maintenance: MaintenanceWindow?
    /// The next time at which the decision for this client and scope may change; `nil` if the
    /// decision does not depend on the time.
    package var validUntil: Timestamp?

    /// The decision for a CORS preflight, to which the rules are never applied.
    package static let preflight = Decision(kind: .allow, reason: .preflight)

    static let exempt = Decision(kind: .allow, reason: .exempt)
}

extension Decision.Kind: Comparable {
    package static func < (left: Decision.Kind, right: Decision.Kind) -> Bool {
        left.strictness < right.strictness
    }

    private var strictness: Int {
        switch self {
        case .allow: 0
        case .recommend: 1
        case .require: 2
        case .maintenance: 3
        }
    }
}
