internal import GatePolicy

/// Looks for one kind of thing that should be said of rules that can be read.
protocol FindingCheck: Sendable {
    /// Reports what it finds in the rules as they are at this second.
    func check(_ rules: LoadedRules, at now: Timestamp, _ findings: FindingCollector)
}

extension LoadedRules {
    /// A rule, or one of its `next`, with its places.
    struct Floor {
        let rule: RuleDefinition
        let places: RulesPlaces.Rule
        /// The rule above it, for a `next`.
        let base: RuleDefinition?

        /// The rule in a sentence.
        var words: String {
            self.base == nil ? "the rule '\(self.rule.id)'" : "the 'next' of '\(self.rule.id)'"
        }
    }

    /// Every rule and every `next`.
    var floors: [Floor] {
        self.definition.rules.flatMap { rule -> [Floor] in
            guard let places = self.places.rules[rule.id] else { return [] }
            return [Floor(rule: rule, places: places, base: nil)]
                + rule.next.enumerated().map { index, next in
                    Floor(rule: next, places: places.next(index), base: rule)
                }
        }
    }
}
