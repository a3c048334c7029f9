internal import GatePolicy
internal import GateRules

/// The ways to a reload, and those who wait for one.
extension RulesReloader {
    /// The origin of the rules' text.
    enum Reading: Sendable {
        /// The file as it is.
        case file
        /// The file as it was seen, unless it still says what these rules were made of.
        case fileUnlessUnchanged(LoadedRules, seen: RulesSighting?)
        /// The text that these rules were made of.
        case again(LoadedRules)
        /// Texts that were in force before, by an undo, if they are not the file's.
        case archived(RulesTexts, RulesPin?)
    }

    /// Makes rules of a text and of what feeds say; `nil` if the file is no longer as it was seen.
    typealias Load =
        @Sendable (_ reading: Reading, _ feeds: [String: FeedContribution], LoadedRules?)
        throws(RulesFileErrors) -> LoadedRules?

    /// A value that a feed offers.
    struct Offer {
        let contribution: FeedContribution
        let feed: FeedDefinition
        let answer: CheckedContinuation<[RulesFileError], Never>
    }

    /// A reload that was asked for while another one ran.
    struct Request {
        let origin: RulesChange.Origin
        let sighting: RulesSighting?
        let answer: CheckedContinuation<ReloadStatus, Never>
    }

    func reading(
        for reason: RulesChange.Reason,
        hasJustRead: Bool = false,
        seen sighting: RulesSighting?
    ) -> Reading {
        // The watch also speaks at its beginning, and of every touch. Who sends a signal wants the
        // rules read, and their tests run; if that has happened since, a second time is no use.
        guard let current,
            reason == .fileChanged || hasJustRead && self.status.lastReloadSuccessful
        else { return .file }
        return .fileUnlessUnchanged(current, seen: sighting)
    }
}
