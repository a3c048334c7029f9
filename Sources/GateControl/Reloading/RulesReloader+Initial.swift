package import GateCensus
package import GatePolicy
package import GateRecords
package import GateRules

extension RulesReloader {
    /// The rules that are active before the first reload.
    package struct Initial: Sendable {
        let rules: LoadedRules?
        let contributions: [String: FeedContribution]
        let failure: LoadFailure?

        /// Creates the initial state.
        ///
        /// - Parameters:
        ///   - rules: The active rules; `nil` if there are none.
        ///   - contributions: The values of feeds, by feed ID.
        ///   - failure: The reason why the rules in the file are not active; `nil` if they are
        ///     active.
        package init(
            _ rules: LoadedRules? = nil,
            contributions: [String: FeedContribution] = [:],
            failure: LoadFailure? = nil
        ) {
            self.rules = rules
            self.contributions = contributions
            self.failure = failure
        }
    }

    /// The objects and functions that check, store and record rules for a reloader.
    package struct Collaborators: Sendable {
        let census: (@Sendable (Timestamp) -> [CensusRow])?
        let filter: (any RulesFilter)?
        let archive: RulesArchive?
        let keep: @Sendable (LoadedRules) -> Void
        let publishToModule: (@Sendable (PublishedRules) async -> Void)?
        let note: @Sendable (RulesChange) -> Void

        /// Groups the collaborators, each of which is optional.
        ///
        /// - Parameters:
        ///   - census: Returns the clients seen since a given time, which new rules are checked against.
        ///   - filter: Decides which rules are enforced; `nil` to enforce all rules.
        ///   - archive: Stores earlier rules for an undo; `nil` to disable undo.
        ///   - keep: Stores the active rules for the next start; not called for changes by feeds.
        ///   - publishToModule: Passes the active rules on to the module in Envoy; `nil` if no
        ///     module uses them.
        ///   - note: Called for every change, including rejected changes.
        package init(
            census: (@Sendable (Timestamp) -> [CensusRow])? = nil,
            filter: (any RulesFilter)? = nil,
            archive: RulesArchive? = nil,
            keep: @escaping @Sendable (LoadedRules) -> Void = { _ in },
            publishToModule: (@Sendable (PublishedRules) async -> Void)? = nil,
            note: @escaping @Sendable (RulesChange) -> Void = { _ in }
        ) {
            self.census = census
            self.filter = filter
            self.archive = archive
            self.keep = keep
            self.publishToModule = publishToModule
            self.note = note
        }
    }
}

/// Decides which of the loaded rules are enforced, and which are in observe mode.
package protocol RulesFilter: Sendable {
    /// Returns new rules in the form in which they are to be applied.
    ///
    /// - Parameters:
    ///   - rules: The new rules.
    ///   - former: The previous rules; `nil` if there are none.
    /// - Returns: The rules to apply.
    func admit(_ rules: LoadedRules, after former: LoadedRules?) async -> RuleSet

    /// Returns admitted rules in the form in which they are currently applied.
    func acting(_ rules: LoadedRules) async -> LoadedRules
}
