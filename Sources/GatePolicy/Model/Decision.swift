/// The decision about a request, the rule that made it, and the reason.
package struct Decision: Sendable, Equatable {
    /// The kinds of decisions, in ascending order of strictness.
    package enum Kind: String, Sendable, CaseIterable {
        case allow
        /// The request passes, with a hint.
        case recommend
        /// The client must upgrade.
        case require
        /// Nobody is served for now.
        case maintenance
    }

    /// The decision that a rule or policy which only observes would have made.
    package struct Observed: Sendable, Equatable {
        /// The rule; `nil` for the policy on unidentified clients.
        package let ruleID: String?
        package let kind: Kind
        package let reason: Reason

        package init(ruleID: String?, kind: Kind, reason: Reason) {
            self.ruleID = ruleID
            self.kind = kind
            self.reason = reason
        }
    }

    /// The word that a rule would have, if the store had what it asks for.
    package struct Held: Sendable, Equatable {
        package let ruleID: String
        /// When the store has it; `nil` if nobody knows.
        package let until: Timestamp?

        package init(ruleID: String, until: Timestamp?) {
            self.ruleID = ruleID
            self.until = until
        }
    }

    /// The announcement to a client that still passes, and is going to be below a floor.
    package struct Warning: Sendable, Equatable {
        /// Since when it is told.
        package let since: Timestamp
        /// When it will have to upgrade; `nil` if that is open.
        package let enforcedFrom: Timestamp?
        /// The next window in which it is refused until then; `nil` if none is to come.
        package var nextBrownout: BrownoutWindow?

        package init(
            since: Timestamp,
            enforcedFrom: Timestamp?,
            nextBrownout: BrownoutWindow? = nil
        ) {
            self.since = since
            self.enforcedFrom = enforcedFrom
            self.nextBrownout = nextBrownout
        }
    }

    package var kind: Kind
    /// The rule that decided; `nil` if none did.
    package var ruleID: String?
    /// Its place in the rules of the definition.
    package var ruleIndex: Int?
    package var reason: Reason
    package var observed: [Observed]
    /// The rules that wait for a store before they speak to this client.
    package var held: [Held]
    /// The part of the identity that was needed and not there, also of an allowed request.
    package var gap: IdentityGap?
    /// The help for a client that was denied or has a hint.
    package var upgrade: UpgradeTerms
    /// The dates of a recommendation, or of a brownout, that is going to be a requirement.
    package var warning: Warning?
    /// The brownout because of which the client must upgrade, and after which it passes again; `nil`
    /// for a requirement that lasts.
    package var brownout: BrownoutWindow?
    /// The maintenance because of which nobody is served, or of any other decision the next one
    /// that is announced.
    package var maintenance: MaintenanceWindow?
    /// The next second at which the decision for this client and scope may be another one; `nil`
    /// if time alone never changes it.
    package var validUntil: Timestamp?

    /// A CORS preflight is never judged.
    package static let preflight = Decision(kind: .allow, reason: .preflight)

    static let exempt = Decision(kind: .allow, reason: .exempt)

    package init(
        kind: Kind,
        reason: Reason,
        ruleID: String? = nil,
        ruleIndex: Int? = nil,
        observed: [Observed] = [],
        held: [Held] = [],
        gap: IdentityGap? = nil,
        upgrade: UpgradeTerms = .none,
        warning: Warning? = nil,
        brownout: BrownoutWindow? = nil,
        maintenance: MaintenanceWindow? = nil,
        validUntil: Timestamp? = nil
    ) {
        self.kind = kind
        self.ruleID = ruleID
        self.ruleIndex = ruleIndex
        self.reason = reason
        self.observed = observed
        self.held = held
        self.gap = gap
        self.upgrade = upgrade
        self.warning = warning
        self.brownout = brownout
        self.maintenance = maintenance
        self.validUntil = validUntil
    }
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
