/// Holds two rule sets against each other: every kind of client that either can tell apart, now
/// and at every second at which a decision changes by itself.
///
/// Only those are looked at that a changed rule or setting can concern, and only by the rules that
/// can be for them, so that a small change of a large rule set is a small matter.
package struct RuleSetComparison {
    private let old: RuleSet
    private let new: RuleSet
    private let budget: Int

    /// Prepares to compare; `budget` is the number of kinds of clients and requests, beside their
    /// versions, after which they are only sampled.
    package init(old: RuleSet, new: RuleSet, budget: Int = 20_000) {
        self.old = old
        self.new = new
        self.budget = budget
    }

    private static let timeLimit = 64
    /// The least that is looked at of each part of a change, however many parts there are.
    private static let smallestShare = 200

    package func difference(at now: Timestamp) -> RuleSetDifference {
        var parts = self.parts
        var periods: [ComparedPeriod] = []
        var time: Timestamp? = now
        while let current = time, periods.count < Self.timeLimit {
            var next: Timestamp?
            var changes: [ComparedChange] = []
            for index in parts.indices {
                // A client that says too little of itself can be in several parts.
                let more = parts[index].changes(at: current, &next)
                changes += more.filter { !changes.contains($0) }
            }
            periods.append(ComparedPeriod(from: current, changes: changes))
            time = next
        }
        // A period that only repeats the one before it tells nothing.
        var telling: [ComparedPeriod] = []
        for period in periods where telling.last?.changes != period.changes {
            telling.append(period)
        }
        return RuleSetDifference(
            periods: telling,
            isSampled: parts.contains(where: \.isSampled) || time != nil,
            readsOtherFields: self.old.definition.identity != self.new.definition.identity,
            asksOtherForms: self.old.definition.askedForms != self.new.definition.askedForms
        )
    }

    private var parts: [ComparedPart] {
        let answers = ComparedAnswers(self.old.definition, self.new.definition)
        let foci = ComparedFocus.all(
            from: self.old.definition,
            to: self.new.definition,
            answers
        )
        let limit = max(min(self.budget, Self.smallestShare), self.budget / max(1, foci.count))
        return foci.map { focus in
            let world = ComparedWorld(focus, old: self.old.definition, new: self.new.definition)
            return ComparedPart(world, answers, old: self.old, new: self.new, atMost: limit)
        }
    }
}
