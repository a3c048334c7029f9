package import GatePolicy

/// The patterns of the rules that the path and method of a request matched.
package struct CensusPaths: Sendable, Hashable {
    /// Whether the request was never judged.
    package let isExempt: Bool
    /// The patterns of rules, as they are written, in ascending order.
    package let patterns: [String]

    package init(isExempt: Bool, patterns: [String]) {
        self.isExempt = isExempt
        self.patterns = patterns.sorted()
    }

    package init(_ scope: RequestScope, in ruleSet: RuleSet) {
        self.init(isExempt: scope.isExempt, patterns: ruleSet.patterns(in: scope))
    }

    /// Stands before the patterns of exemptions among those of rules.
    static let exemption = "exempt "

    /// Those of a request that matches nothing.
    package static let none = CensusPaths(isExempt: false, patterns: [])
}
