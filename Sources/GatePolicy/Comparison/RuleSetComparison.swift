/// Holds two rule sets against each other: every kind of client that either can tell apart, now
/// and at every second at which a decision changes by itself.
package struct RuleSetComparison {
    private let old: RuleSet
    private let new: RuleSet
    private let world: ComparedWorld
    private let budget: Int
    private let answers: ComparedAnswers

    /// Prepares to compare; `budget` is the number of decisions for each time after which cells
    /// are only sampled.
    package init(old: RuleSet, new: RuleSet, budget: Int = 200_000) {
        self.old = old
        self.new = new
        self.world = ComparedWorld([old.definition, new.definition])
        // A decision takes as long as there are rules to ask.
        let ruleCount = old.definition.rules.count + new.definition.rules.count
        self.budget = budget / max(1, ruleCount / 20)
        self.answers = ComparedAnswers(old.definition, new.definition)
    }

    private static let timeLimit = 64

    package func difference(at now: Timestamp) -> RuleSetDifference {
        let cells = self.cells
        var periods: [ComparedPeriod] = []
        var time: Timestamp? = now
        while let current = time, periods.count < Self.timeLimit {
            var next: Timestamp?
            let changes = self.changes(in: cells, at: current, &next)
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
            isSampled: cells.count < self.world.cellCount || time != nil,
            readsOtherFields: self.old.definition.identity != self.new.definition.identity
        )
    }

    /// The cells that are tried: all of them, or as many as the budget allows, evenly spread.
    private var cells: [ComparedCell] {
        let all = self.world.cellCount
        let cost = 2 * (self.world.versions.points.count + 2) * self.world.devices.count
        let affordable = max(1, self.budget / max(1, cost))
        guard all > affordable else { return (0..<all).map(self.world.cell) }
        return (0..<affordable).map { index in
            self.world.cell(Int(Double(index) / Double(affordable) * Double(all)))
        }
    }

    private func changes(
        in cells: [ComparedCell],
        at now: Timestamp,
        _ next: inout Timestamp?
    ) -> [ComparedChange] {
        var rows: [ComparedRow] = []
        for cell in cells {
            for pair in self.pairs(in: cell, at: now, &next) {
                rows.append(ComparedRow(cell, pair))
            }
        }
        return ComparedRow.merged(rows).map { $0.change(in: self.world) }
    }

    /// The changes in one cell, neighbouring versions put together.
    private func pairs(
        in cell: ComparedCell,
        at now: Timestamp,
        _ next: inout Timestamp?
    ) -> [ComparedRow.Pair] {
        let axis = self.world.versions
        var pairs: [ComparedRow.Pair] = []
        var open: [ComparedRow.Transition: (start: Int, share: Double)] = [:]
        for index in 0...axis.points.count {
            let transitions =
                index < axis.points.count
                ? self.transitions(cell, .stated(axis.points[index].version), now, &next) : [:]
            for (transition, run) in open where transitions[transition] != run.share {
                let words = axis.words(run.start...(index - 1))
                pairs.append(
                    .init(
                        versions: words,
                        place: run.start,
                        transition: transition,
                        share: run.share
                    )
                )
                open[transition] = nil
            }
            for (transition, share) in transitions where open[transition] == nil {
                open[transition] = (index, share)
            }
        }
        for (claim, words) in [
            (Claim<AppVersion>.missing, "missing"), (.unreadable("?"), "unreadable"),
        ] {
            for (transition, share) in self.transitions(cell, claim, now, &next) {
                pairs.append(
                    .init(
                        versions: words,
                        place: axis.points.count,
                        transition: transition,
                        share: share
                    )
                )
            }
        }
        return pairs
    }

    /// What changes for clients of one version, and for how many of them.
    private func transitions(
        _ cell: ComparedCell,
        _ version: Claim<AppVersion>,
        _ now: Timestamp,
        _ next: inout Timestamp?
    ) -> [ComparedRow.Transition: Double] {
        var counts: [ComparedRow.Transition: Int] = [:]
        for device in self.world.devices {
            let client = self.world.client(cell, version: version, device: device)
            let request = self.world.requests.values[cell.request]
            let before = self.outcome(self.old, client, request, now, &next)
            let after = self.outcome(self.new, client, request, now, &next)
            guard before.isNoticeable(beside: after) else { continue }
            counts[.init(before: before, after: after), default: 0] += 1
        }
        return counts.mapValues { Double($0) / Double(self.world.devices.count) }
    }

    private func outcome(
        _ rules: RuleSet,
        _ client: ClientIdentity,
        _ request: ComparedRequest,
        _ now: Timestamp,
        _ next: inout Timestamp?
    ) -> ComparedOutcome {
        let method = Array(request.method.utf8)
        let target = Array(request.path.utf8)
        let scope = rules.scope(method: method.span, target: target.span)
        let decision = rules.decide(client, in: scope, at: now, address: nil)
        if let change = decision.validUntil, change > now {
            next = Timestamp.earlier(next, change)
        }
        return ComparedOutcome(
            decision,
            status: rules.responder.status(of: decision),
            answerNumber: self.answers.number(of: decision, isNew: rules === self.new)
        )
    }
}
