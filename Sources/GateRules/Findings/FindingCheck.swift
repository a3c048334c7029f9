internal import GatePolicy

/// A check that reports findings on valid rules.
protocol FindingCheck: Sendable {
    /// Reports findings on the rules at the given time.
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector)
}

/// The rules to check, with data that most checks need, computed once.
struct RulesInReview {
    /// A rule, or one of its `next` floors, with its locations.
    ///
    /// This is a class, so that each check can iterate over thousands of floors without copying
    /// rules.
    final class Floor: Sendable {
        let rule: RuleDefinition
        let places: RulesPlaces.Rule
        /// The rule whose `next` contains this floor; `nil` if the floor is a rule itself.
        let base: RuleDefinition?

        init(_ rule: RuleDefinition, at places: RulesPlaces.Rule, next base: RuleDefinition? = nil)
        {
            self.rule = rule
            self.places = places
            self.base = base
        }

        /// The name of the rule or `next` for messages.
        var words: String {
            self.base == nil ? "the rule '\(self.rule.id)'" : "the 'next' of '\(self.rule.id)'"
        }
    }

    let definition: RuleSetDefinition
    let places: RulesPlaces
    let feeds: [FeedDefinition]
    let gate: GateContext
    /// All rules and all their `next` floors.
    let floors: [Floor]
    /// The index of the floors that apply to all clients of another floor.
    let covering: CoveringIndex

    init(_ rules: LoadedRules) {
        self.definition = rules.definition
        self.places = rules.places
        self.feeds = rules.feeds
        self.gate = rules.gate
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

extension FindingCollector {
    /// Adds a finding about a floor, at the location of `key`, or of the rule's ID if `key` is `nil`.
    func report(
        _ name: FindingName,
        _ message: String,
        on floor: RulesInReview.Floor,
        at key: String?,
        allowedBecause reason: String? = nil
    ) {
        let place = key.map { floor.places.place(of: $0) } ?? floor.places.id
        self.report(name, message, at: place, rule: floor.rule.id, allowedBecause: reason)
    }
}
