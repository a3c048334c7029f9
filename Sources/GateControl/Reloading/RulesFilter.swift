package import GatePolicy
package import GateRules

/// Decides which of the rules that were loaded act, and which do but observe.
package protocol RulesFilter: Sendable {
    /// The rules as they are to act, before they do.
    ///
    /// - Parameters:
    ///   - rules: Those that are about to take the place of others.
    ///   - former: The others; `nil`: there are none.
    /// - Returns: Those that act.
    func admit(_ rules: LoadedRules, after former: LoadedRules?) async -> RuleSet

    /// Rules that were admitted, as they act at the moment.
    func acting(_ rules: LoadedRules) async -> LoadedRules
}
