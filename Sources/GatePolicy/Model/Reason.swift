extension Decision {
    package indirect enum Reason: Sendable, Equatable {
        case exempt
        /// The request is a CORS preflight, which cannot state the client identity.
        case preflight
        case noRuleApplies
        case passes
        /// The rules deny or route the request, but the client has a pass with this ID.
        case passed(Pass.ID)
        case belowRecommended
        case belowRecommendedBuild
        case belowMinimum
        case belowMinimumBuild
        case blocked(VersionRange)
        case blockedBuild(BlockedBuilds)
        /// The client will have to upgrade for this reason, from this date; `nil` if the date is
        /// open.
        case warned(Reason, requiredFrom: Timestamp?)
        /// The client is denied for this reason during a brownout, until this time.
        case brownout(Reason, until: Timestamp)
        /// All requests that the rule matches are denied until this time; `nil` if the end is open.
        case maintenance(until: Timestamp?)
        case missing(IdentityPart)
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
        case .passes: "the client meets every rule that applies"
        case .passed(let id): "the client has the pass \(id)"
        case .belowRecommended: "the version is below the recommended version"
        case .belowRecommendedBuild: "the build is below the recommended build"
        case .belowMinimum: "the version is below the minimum"
        case .belowMinimumBuild: "the build is below the minimum"
        case .blocked(let range): "the version is blocked by '\(range)'"
        case .blockedBuild(let builds): "the build is blocked by '\(builds)'"
        case .warned(let reason, nil): "\(reason), but the rule only warns"
        case .warned(let reason, .some(let date)):
            "\(reason), but the rule only warns until \(date)"
        case .brownout(let reason, let end): "\(reason), in a brownout until \(end)"
        case .maintenance(nil): "maintenance is in progress"
        case .maintenance(.some(let end)): "maintenance is in progress until \(end)"
        case .missing(let part): IdentityGap.missing(part).description
        case .unreadable(let part): IdentityGap.unreadable(part).description
        }
    }
}
