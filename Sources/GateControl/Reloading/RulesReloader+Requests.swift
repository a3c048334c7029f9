internal import GatePolicy
internal import GateRules

/// The types of pending reload requests, and of the input for a reload.
extension RulesReloader {
    /// The source that the rules are read from.
    enum Reading: Sendable {
        /// The file in its current state.
        case file
        /// The file in the state that the sighting identifies, unless the rules were loaded from the same text.
        case fileUnlessUnchanged(LoadedRules, seen: RulesSighting?)
        /// The texts that these rules were loaded from.
        case again(LoadedRules)
        /// Earlier texts that an undo restores; the pin is `nil` if they are equal to the file.
        case archived(RulesTexts, RulesPin?)
    }

    /// Loads rules from texts and feed values; returns `nil` if the file has changed since the
    /// sighting.
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

    /// A revision of rules that were active, and the revision of their files alone.
    struct FormerRevision {
        let revision: String
        let files: String
    }

    func reading(
        for reason: RulesChange.Reason,
        hasJustRead: Bool = false,
        seen sighting: RulesSighting?
    ) -> Reading {
        // The watcher also reports when it starts and after every `touch`, so unchanged texts are not loaded again.
        // After a signal, even unchanged rules are loaded and tested, unless this has just been done.
        guard let current,
            reason == .fileChanged || hasJustRead && self.status.lastReloadSuccessful
        else { return .file }
        return .fileUnlessUnchanged(current, seen: sighting)
    }
}
