package import GatePolicy
package import GateRules

/// Decides which of the loaded rules are enforced and which are only in observe mode.
package protocol RulesFilter: Sendable {
    /// Returns new rules in the form in which they are to be applied.
    ///
    /// - Parameters:
    ///   - rules: The new rules.
    ///   - former: The rules that they replace; `nil` if there are none.
    /// - Returns: The rules to apply.
    func admit(_ rules: LoadedRules, after former: LoadedRules?) async -> RuleSet

    /// Returns admitted rules in the form in which they are currently applied.
    func acting(_ rules: LoadedRules) async -> LoadedRules
}
