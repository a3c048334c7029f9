/// A comparison of two rule sets for every kind of client that they distinguish.
///
/// The rule sets are compared now and at each time at which a decision changes. Only clients that a
/// changed rule or setting can affect are compared, and only against the rules that may match them,
/// so that a small change to a large rule set is cheap to compare.
package struct RuleSetComparison {
    private let old: RuleSet
    private let new: RuleSet
    private let budget: Int

    /// Creates a comparison.
    ///
    /// If the number of kinds of clients and requests exceeds `budget`, not counting versions, only
    /// typical kinds are compared.
    package init(old: RuleSet, new: RuleSet, budget: Int = 20_000) {
        self.old = old
        self.new = new
        self.budget = budget
    }

    private static let timeLimit = 64
    /// The minimum budget, in cells, for each part of a change, regardless of the number of parts.
    private static let smallestShare = 200

    package func difference(at now: Timestamp) -> RuleSetDifference {
        var parts = self.parts
        var periods: [ComparedPeriod] = []
        var time: Timestamp? = now
        while let current = time, periods.count < Self.timeLimit {
            var next: Timestamp?
            var changes: [ComparedChange] = []
            for index in parts.indices {
                // A client without a complete identity can belong to several parts, each of which
                // then contains the same change.
                let more = parts[index].changes(at: current, &next)
                changes += more.filter { !changes.contains($0) }
            }
            periods.append(ComparedPeriod(from: current, changes: changes))
            time = next
        }
        // Periods with the same changes as the previous period are skipped.
        var telling: [ComparedPeriod] = []
        for period in periods where telling.last?.changes != period.changes {
            telling.append(period)
        }
        return RuleSetDifference(
            periods: telling,
            isSampled: parts.contains(where: \.isSampled) || time != nil,
            readsOtherFields: self.old.definition.identity != self.new.definition.identity,
            notationsDiffer: self.old.definition.notationConditions
                != self.new.definition.notationConditions
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
            let world = ComparisonSpace(focus, old: self.old.definition, new: self.new.definition)
            return ComparedPart(world, answers, old: self.old, new: self.new, atMost: limit)
        }
    }
}
