internal import GatePolicy

/// Looks for one kind of thing that should be said of rules that can be read.
protocol FindingCheck: Sendable {
    /// Reports what it finds in the rules as they are at this second.
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector)
}

/// Rules that all checks look at, with what most of them need, so that it is made once.
struct RulesInReview {
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

    let definition: RuleSetDefinition
    let places: RulesPlaces
    let feeds: [FeedDefinition]
    /// Every rule and every `next`.
    let floors: [Floor]

    init(_ rules: LoadedRules) {
        self.definition = rules.definition
        self.places = rules.places
        self.feeds = rules.feeds
        var floors: [Floor] = []
        floors.reserveCapacity(rules.definition.rules.count)
        for rule in rules.definition.rules {
            guard let places = rules.places.rules[rule.id] else { continue }
            floors.append(Floor(rule: rule, places: places, base: nil))
            for (index, next) in rule.next.enumerated() {
                floors.append(Floor(rule: next, places: places.next(index), base: rule))
            }
        }
        self.floors = floors
    }
}
