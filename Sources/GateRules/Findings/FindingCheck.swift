internal import GatePolicy

/// Looks for one kind of thing that should be said of rules that can be read.
protocol FindingCheck: Sendable {
    /// Reports what it finds in the rules as they are at this second.
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector)
}

/// Rules that all checks look at, with what most of them need, so that it is made once.
struct RulesInReview {
    /// A rule, or one of its `next`, with its places.
    ///
    /// A class: each check walks over all of them, and there may be thousands.
    final class Floor: Sendable {
        let rule: RuleDefinition
        let places: RulesPlaces.Rule
        /// The rule above it, for a `next`.
        let base: RuleDefinition?

        init(_ rule: RuleDefinition, at places: RulesPlaces.Rule, next base: RuleDefinition? = nil)
        {
            self.rule = rule
            self.places = places
            self.base = base
        }

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
    /// Which of them are for every client of another one.
    let covering: CoveringIndex

    init(_ rules: LoadedRules) {
        self.definition = rules.definition
        self.places = rules.places
        self.feeds = rules.feeds
        var floors: [Floor] = []
        floors.reserveCapacity(rules.definition.rules.count)
        for rule in rules.definition.rules {
            guard let places = rules.places.rules[rule.id] else { continue }
            floors.append(Floor(rule, at: places))
            for (index, next) in rule.next.enumerated() {
                floors.append(Floor(next, at: places.next(index), next: rule))
            }
        }
        self.floors = floors
        self.covering = CoveringIndex(floors)
    }
}
