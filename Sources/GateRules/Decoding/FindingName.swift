/// The stable names of findings, as `check`, a reload and the operators' status say them; the table
/// is in docs/findings.md.
package enum FindingName: String, Sendable, CaseIterable {
    // Findings that refuse.
    /// No known version passes, so that no update helps.
    case lockout
    /// A plan for a higher floor takes the lower one out of force until then.
    case planOpens = "plan-opens"
    /// A change refuses more of the clients of the last day than `guard` allows.
    case newlyRefused = "guard"

    // Findings on something that is probably not meant.
    /// A rule or a `next` that can never change a decision.
    case deadRule = "dead-rule"
    /// A rule or a maintenance that is over.
    case pastRule = "past-rule"
    /// A roll-out that never reaches everybody.
    case stalledRollout = "stalled-rollout"
    /// A step of a roll-out that begins before the floor does.
    case earlyStep = "early-step"
    /// A date so far away that it is probably a slip.
    case farDate = "far-date"
    /// A maintenance that lasts for days.
    case longMaintenance = "long-maintenance"
    /// A maintenance that does not end by itself.
    case openMaintenance = "open-maintenance"
    /// A name of a platform that nobody knows, and that is nearly one that is known.
    case unknownPlatform = "unknown-platform"
    /// A floor for every platform, web clients included.
    case anyPlatform = "any-platform"
    /// A feed that reads what a source says of one platform into rules for another.
    case otherPlatform = "other-platform"
    /// The store link of another platform.
    case foreignLink = "foreign-link"
    /// A link that anybody on the way can change.
    case insecureLink = "insecure-link"
    /// A store link that leads nowhere, from a new rules file.
    case placeholderLink = "placeholder-link"
    /// A plan would refuse more of the clients of the last day than `guard` allows, if it came now.
    case comingRefusals = "coming-refusals"
    /// The newest release is refused, and an older one passes.
    case refusedRelease = "refused-release"
    /// A recommended version that another rule refuses.
    case refusedRecommendation = "refused-recommendation"
    /// A rule that goes by a release which nobody states.
    case missingRelease = "missing-release"
    /// A release that is stated twice.
    case repeatedRelease = "repeated-release"
    /// A version with build metadata, which is not compared.
    case buildMetadata = "build-metadata"
    /// A notice without a language that others have.
    case missingLanguage = "missing-language"
    /// A notice that nobody is shown.
    case unusedNotice = "unused-notice"
    /// A policy for a path that is no stricter than the one for everything.
    case lenientPath = "lenient-path"
    /// Clients that do not say who they are get 426, health checks included.
    case rejectsUnidentified = "rejects-unidentified"
    /// A test wants somebody refused who passes, by a change that is laxer.
    case failedTest = "failed-test"
    /// An exemption of everything.
    case openGate = "open-gate"
    /// An `accept` of a finding that is not there.
    case needlessAccept = "needless-accept"
    /// Nothing is enforced, because the whole file says `mode: observe`.
    case observing
    /// Clients are read from other fields than before.
    case identityChanged = "identity-changed"
    /// A feed that stated rules states none any more.
    case emptyFeed = "empty-feed"

    // Findings that are worth a word, and no mistake.
    /// A change lets clients pass that were refused.
    case laxer
    /// A blocked range below the minimum.
    case needlessBlock = "needless-block"
    /// A `next` that holds for everybody.
    case nextComplete = "next-complete"

    /// The effects that a finding can have.
    package enum Effect: String, Sendable {
        /// The rules are not loaded, unless the file accepts the finding.
        case refuses
        /// The rules are loaded; `check --strict` takes it for an error.
        case warns
        /// The rules are loaded; it is said, and no error for anybody.
        case notes
    }

    package var effect: Effect {
        switch self {
        case .lockout, .planOpens, .newlyRefused: .refuses
        case .laxer, .needlessBlock, .nextComplete: .notes
        case .deadRule, .pastRule, .stalledRollout, .earlyStep, .farDate, .longMaintenance,
            .openMaintenance,
            .unknownPlatform, .anyPlatform, .otherPlatform, .foreignLink, .insecureLink,
            .placeholderLink,
            .comingRefusals, .refusedRelease, .refusedRecommendation, .missingRelease,
            .repeatedRelease, .buildMetadata, .missingLanguage, .unusedNotice,
            .lenientPath, .failedTest, .rejectsUnidentified, .openGate, .needlessAccept, .observing,
            .identityChanged, .emptyFeed:
            .warns
        }
    }
}

extension Element {
    /// The findings that somebody accepts: one name, or a list.
    func findings(_ problems: Problems) -> [Located<FindingName>] {
        let known = FindingName.allCases.filter { $0.effect == .refuses }.map(\.rawValue)
        return self.oneOrMore(problems).compactMap { item in
            guard let text = item.text("the name of a finding", problems) else { return nil }
            if known.contains(text), let name = FindingName(rawValue: text) {
                return Located(value: name, place: item.place)
            }
            let hint = Spelling.hint(for: text, among: known)
            let names = known.dropLast().map { "'\($0)'" }.joined(separator: ", ")
            problems.report(
                "'\(text)' is no finding that can be accepted: there are \(names) and "
                    + "'\(known.last ?? "")'\(hint)",
                at: item.place
            )
            return nil
        }
    }
}
