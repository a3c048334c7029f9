internal import GatePolicy
internal import GateRules

/// The requests for a reload, and the queue of pending ones.
extension RulesReloader {
    /// The source of the rules' texts.
    enum Reading: Sendable {
        /// The file in its current state.
        case file
        /// The file in the state of the sighting, unless its text is that of these rules.
        case fileUnlessUnchanged(LoadedRules, seen: RulesSighting?)
        /// The texts that these rules were loaded from.
        case again(LoadedRules)
        /// Earlier texts that an undo restores, with its pin if they differ from the file.
        case archived(RulesTexts, RulesPin?)
    }

    /// Loads rules from texts and feed values; `nil` if the file has changed since the sighting.
    typealias Load =
        @Sendable (_ reading: Reading, _ feeds: [String: FeedContribution], LoadedRules?)
        throws(RulesFileErrors) -> LoadedRules?

    /// A new value of a feed.
    struct Offer {
        let contribution: FeedContribution
        let feed: FeedDefinition
        let answer: CheckedContinuation<[RulesFileError], Never>
    }

    /// A reload that was requested while another one was running.
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
        // The watcher also reports when it starts, and after every `touch`. A signal requests that
        // the rules be read and tested; this is not repeated if it has just been done.
        guard let current,
            reason == .fileChanged || hasJustRead && self.status.lastReloadSuccessful
        else { return .file }
        return .fileUnlessUnchanged(current, seen: sighting)
    }
}
