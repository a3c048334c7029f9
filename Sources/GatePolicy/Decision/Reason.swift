extension Decision {
    /// Why a decision was made.
    package enum Reason: Sendable, Equatable {
        /// The request is never judged.
        case exempt
        /// The request is a CORS preflight, which cannot say who the client is.
        case preflight
        /// No rule is for this client and request.
        case noRuleApplies
        /// Every rule that is for the client is content.
        case passes
        case belowRecommended
        case belowMinimum
        case belowMinimumBuild
        /// The version is in this blocked range.
        case blocked(VersionRange)
        /// The client does not state this part.
        case missing(IdentityPart)
        /// The client states this part unreadably.
        case unreadable(IdentityPart)

        init(_ gap: IdentityGap) {
            switch gap {
            case .missing(let part): self = .missing(part)
            case .unreadable(let part): self = .unreadable(part)
            }
        }
    }
}

extension Decision.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .exempt: "the request is exempt"
        case .preflight: "the request is a CORS preflight"
        case .noRuleApplies: "no rule applies"
        case .passes: "every rule that applies is met"
        case .belowRecommended: "the version is below the recommended one"
        case .belowMinimum: "the version is below the minimum"
        case .belowMinimumBuild: "the build is below the minimum"
        case .blocked(let range): "the version is blocked by '\(range)'"
        case .missing(let part): IdentityGap.missing(part).description
        case .unreadable(let part): IdentityGap.unreadable(part).description
        }
    }
}
