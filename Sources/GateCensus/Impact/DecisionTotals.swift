package import GatePolicy

/// The requests and devices of a period, by decision.
package struct DecisionTotals: Sendable {
    package fileprivate(set) var all = ImpactAmount()
    package fileprivate(set) var denied = ImpactAmount()
    package fileprivate(set) var recommended = ImpactAmount()
    /// The clients that pass but would be denied by rules in observe mode.
    package fileprivate(set) var observed = ImpactAmount()
    package fileprivate(set) var serverErrors: UInt64 = 0

    package init() {}
}

/// The decisions of a period, in total and by platform.
package struct DecisionSurvey: Sendable {
    /// The clients of a platform.
    package enum Group: Sendable, Hashable {
        /// The platform; `nil` if the clients send no platform, or an unparsable one.
        case platform(String?)
        /// All clients beyond the census's limit.
        case other
    }

    package private(set) var total = DecisionTotals()
    package private(set) var groups: [Group: DecisionTotals] = [:]

    /// Sums up the rows of a census.
    ///
    /// Denials and recommendations are counted as clients received them. Rules in observe mode are
    /// evaluated at `now`, because the census does not contain their decisions.
    package init(_ rows: [CensusRow], by ruleSet: RuleSet, at now: Timestamp) {
        var view = CensusView(ruleSet, now, ignoresMaintenance: false)
        let samples = RuleSet.deviceSamples(for: ruleSet.definition.rulesWithNext)
        for row in rows {
            let observed = view.observedShare(of: row, samples)
            let group = row.cell.client.map { Group.platform($0.platform.text) } ?? .other
            self.total.add(row, observed: observed)
            self.groups[group, default: DecisionTotals()].add(row, observed: observed)
        }
    }
}

extension DecisionTotals {
    /// Adds a row of the census.
    ///
    /// `observed` is the share of the row's requests that rules in observe mode would deny.
    fileprivate mutating func add(_ row: CensusRow, observed: Double) {
        self.all.add(row.figures)
        self.observed.add(row.figures, share: observed)
        self.serverErrors += row.figures.serverErrors
        switch row.cell.outcome.kind {
        case .allow: break
        case .recommend: self.recommended.add(row.figures)
        case .require, .maintenance: self.denied.add(row.figures)
        }
    }
}

extension CensusView {
    /// Returns the share of a row's requests that pass but would be denied by rules in observe mode.
    ///
    /// Requests for paths that are new to the rules do not count.
    fileprivate mutating func observedShare(
        of row: CensusRow,
        _ samples: [RuleSet.DeviceSample]
    ) -> Double {
        guard let client = row.cell.client, row.cell.outcome.kind < .require else { return 0 }
        let scope = self.scopes(row).least
        var identity = client.identity
        return samples.reduce(0) { sum, sample in
            identity.device = sample.device
            let decision = self.decide(identity, in: scope)
            let denies = !decision.denies && decision.observed.contains { $0.kind >= .require }
            return denies ? sum + sample.share : sum
        }
    }
}
