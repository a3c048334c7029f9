/// Evaluates the clients of one cell, version by version.
struct ComparedTrial {
    private let view: ComparedView
    private let world: ComparisonSpace
    private let answers: ComparedAnswers
    private let cell: ComparedCell
    /// The scope of the cell's requests under the old rules; exempt if an exemption matches the
    /// requests.
    private let oldScope: RequestScope
    private let newScope: RequestScope

    init(
        _ view: ComparedView,
        _ world: ComparisonSpace,
        _ answers: ComparedAnswers,
        _ cell: ComparedCell,
        old: RuleSet,
        new: RuleSet
    ) {
        self.view = view
        self.world = world
        self.answers = answers
        self.cell = cell
        let request = world.requests.values[cell[.request]]
        func scope(in whole: RuleSet, _ part: RuleSet) -> RequestScope {
            let scope = whole.scope(of: request)
            return scope.isExempt ? scope : part.scope(of: request)
        }
        self.oldScope = scope(in: old, view.old)
        self.newScope = scope(in: new, view.new)
    }

    /// Returns the changes, with adjacent versions merged, and the time until which they apply.
    func pairs(at now: Timestamp) -> ([ComparedRow.Pair], validUntil: Timestamp?) {
        let axis = self.view.versions
        var next: Timestamp?
        var pairs: [ComparedRow.Pair] = []
        var open: [ComparedRow.Transition: (start: Int, share: Double)] = [:]
        for index in 0...axis.points.count {
            let transitions =
                index < axis.points.count
                ? self.transitions(.stated(axis.points[index].version), now, &next) : [:]
            for (transition, run) in open where transitions[transition] != run.share {
                pairs.append(
                    .init(
                        versions: axis.words(run.start...(index - 1)),
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
            pairs += self.transitions(claim, now, &next).map {
                .init(versions: words, place: axis.points.count, transition: $0, share: $1)
            }
        }
        return (pairs, next)
    }

    /// Returns the changes for clients with one version, and the share of clients that each change
    /// affects.
    private func transitions(
        _ version: Claim<AppVersion>,
        _ now: Timestamp,
        _ next: inout Timestamp?
    ) -> [ComparedRow.Transition: Double] {
        var shares: [ComparedRow.Transition: Double] = [:]
        for sample in self.view.devices.samples {
            let client = self.world.client(self.cell, version: version, device: sample.device)
            let before = self.outcome(client, isNew: false, now, &next)
            let after = self.outcome(client, isNew: true, now, &next)
            guard before.isNoticeable(beside: after) else { continue }
            shares[.init(before: before, after: after), default: 0] += sample.share
        }
        // The shares are rounded, because floating-point sums may be inexact in the last digits.
        return shares.mapValues { ($0 * 1_000_000).rounded() / 1_000_000 }
    }

    private func outcome(
        _ client: ClientIdentity,
        isNew: Bool,
        _ now: Timestamp,
        _ next: inout Timestamp?
    ) -> ComparedOutcome {
        let rules = isNew ? self.view.new : self.view.old
        let scope = isNew ? self.newScope : self.oldScope
        let decision = rules.decide(client, in: scope, at: now, address: nil)
        if let change = decision.validUntil, change > now {
            next = Timestamp.earlier(next, change)
        }
        return ComparedOutcome(
            decision,
            status: rules.responder.status(of: decision),
            answerNumber: self.answers.number(of: decision, isNew: isNew)
        )
    }
}
