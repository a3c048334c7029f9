/// The stable names of findings, as shown by `check`, reloads and the admin status.
///
/// docs/findings.md documents them.
package enum FindingName: String, Sendable, CaseIterable {
    // Findings that reject the rules.
    /// No known version passes, so no update helps.
    case lockout
    /// A plan for a higher floor removes the lower floor until the plan takes effect.
    case planOpens = "plan-opens"
    /// A change newly denies a larger share of the last day's clients than `guard` allows.
    case newlyRefused = "guard"

    /// A route to a backend that is not configured.
    case unknownBackend = "unknown-backend"

    // Findings about probable mistakes.
    /// A rule or a `next` that can never change a decision.
    case deadRule = "dead-rule"
    /// A route that can never select a backend.
    case deadRoute = "dead-route"
    /// A route that no client has used in the last day.
    case unusedRoute = "unused-route"
    /// A rule or a maintenance window that has ended.
    case pastRule = "past-rule"
    /// A rollout that never reaches 100 percent.
    case stalledRollout = "stalled-rollout"
    /// A rollout step before the floor takes effect.
    case earlyStep = "early-step"
    /// A date so far in the future that it is probably a typo.
    case farDate = "far-date"
    /// A maintenance window of several days.
    case longMaintenance = "long-maintenance"
    /// A maintenance window without an end.
    case openMaintenance = "open-maintenance"
    /// An unknown platform name that is similar to a known one.
    case unknownPlatform = "unknown-platform"
    /// A floor for every platform, including web clients.
    case anyPlatform = "any-platform"
    /// A feed that generates rules for one platform from data for another.
    case otherPlatform = "other-platform"
    /// A store URL that belongs to another platform.
    case foreignLink = "foreign-link"
    /// A store URL that is not HTTPS and can be changed in transit.
    case insecureLink = "insecure-link"
    /// A placeholder store URL from the rules template.
    case placeholderLink = "placeholder-link"
    /// A planned floor would deny a larger share of the last day's clients than `guard` allows.
    case comingRefusals = "coming-refusals"
    /// The newest release is denied while an older one passes.
    case refusedRelease = "refused-release"
    /// A recommended version that another rule denies.
    case refusedRecommendation = "refused-recommendation"
    /// A rule that depends on a release that is not listed.
    case missingRelease = "missing-release"
    /// A release that is listed twice.
    case repeatedRelease = "repeated-release"
    /// A version with build metadata, which comparisons ignore.
    case buildMetadata = "build-metadata"
    /// A notice without a language that other notices include.
    case missingLanguage = "missing-language"
    /// A notice that is never shown.
    case unusedNotice = "unused-notice"
    /// A denial that is too large for some gateways.
    case largeDenial = "large-denial"
    /// A path policy that is no stricter than the general policy.
    case lenientPath = "lenient-path"
    /// Unidentified clients, including health checks, receive a 426.
    case rejectsUnidentified = "rejects-unidentified"
    /// After a change that makes rules laxer, a test expects a denial of a client that now passes.
    case failedTest = "failed-test"
    /// An exemption that matches all requests.
    case openGate = "open-gate"
    /// An `accept` entry for a finding that does not occur.
    case needlessAccept = "needless-accept"
    /// No rule is enforced, because of `mode: observe` at the top level.
    case observing
    /// The identity of clients is no longer read from the same fields as before.
    case identityChanged = "identity-changed"
    /// A feed that provided rules no longer provides any.
    case emptyFeed = "empty-feed"

    // Informational findings.
    /// A change allows clients that were denied before.
    case laxer
    /// A blocked range below the minimum.
    case needlessBlock = "needless-block"
    /// A `next` that already applies to all clients.
    case nextComplete = "next-complete"

    /// The possible effects of a finding.
    package enum Effect: String, Sendable {
        /// The rules are rejected unless the file accepts the finding.
        case refuses
        /// The rules are loaded; `check --strict` treats the finding as an error.
        case warns
        /// The rules are loaded; the finding is shown and is never an error.
        case notes
    }

    package var effect: Effect {
        switch self {
        case .lockout, .planOpens, .newlyRefused, .unknownBackend: .refuses
        case .laxer, .needlessBlock, .nextComplete, .unusedRoute: .notes
        case .deadRule, .deadRoute, .pastRule, .stalledRollout, .earlyStep, .farDate,
            .longMaintenance, .openMaintenance, .unknownPlatform, .anyPlatform, .otherPlatform,
            .foreignLink, .insecureLink, .placeholderLink, .comingRefusals, .refusedRelease,
            .refusedRecommendation, .missingRelease, .repeatedRelease, .buildMetadata,
            .missingLanguage, .unusedNotice, .largeDenial, .lenientPath, .failedTest,
            .rejectsUnidentified, .openGate, .needlessAccept, .observing, .identityChanged,
            .emptyFeed:
            .warns
        }
    }
}

extension Element {
    /// Decodes the names of accepted findings: one name, or a list.
    func findings(_ problems: Problems) -> [Located<FindingName>] {
        let known = FindingName.allCases.filter { $0.effect == .refuses }.map(\.rawValue)
        return self.oneOrMore(problems).compactMap { item in
            guard let text = item.text("a finding name", problems) else { return nil }
            if known.contains(text), let name = FindingName(rawValue: text) {
                return Located(value: name, place: item.place)
            }
            let hint = Spelling.hint(for: text, among: known)
            let names = known.dropLast().map { "'\($0)'" }.joined(separator: ", ")
            return problems.reject(
                "'\(text)' cannot be accepted; only \(names) and "
                    + "'\(known.last ?? "")' can\(hint)",
                at: item.place
            )
        }
    }
}
