package import GatePolicy

/// The share of clients that rules on trial will deny, as predicted from a census.
///
/// The prediction is for one point in time, with the windows, rollout steps and holds that apply at
/// that time.
package struct RefusalPrediction: Sendable {
    /// The minimum number of clients for a prediction; the `guard` finding uses the same minimum.
    private static let fewest = 200.0

    /// The shares by app and platform, because the mix of apps and platforms in one hour differs
    /// from that of a whole day.
    private var refused: [Impact.Audience: Double] = [:]
    /// The share of clients that send neither version nor build; `nil` if too few clients were
    /// counted.
    let versionless: Double?
    /// The next time at which decisions on clients in the census may change; `nil` if they never
    /// do.
    package let validUntil: Timestamp?

    /// Evaluates the clients of a census.
    ///
    /// - Parameters:
    ///   - rows: The census from the period before the change.
    ///   - ruleSet: The active rules.
    ///   - suspects: The IDs of the rules on trial.
    ///   - now: The time of the evaluation.
    package init(
        _ rows: [CensusRow],
        by ruleSet: RuleSet,
        suspects: Set<String>,
        at now: Timestamp
    ) {
        let identity = ruleSet.definition.identity
        let nothing = RuleSet(RuleSetDefinition(revision: "", identity: identity))
        let impact = Impact(on: rows, from: nothing, to: ruleSet, at: now)
        for (audience, part) in impact.parts where Self.count(part.total) >= Self.fewest {
            self.refused[audience] = Self.share(part.denied, of: part.total, by: suspects)
        }
        self.validUntil = impact.validUntil
        var versionless = ImpactAmount()
        for row in rows where row.cell.client?.isVersionless == true {
            versionless.add(row.figures)
        }
        let total = impact.total
        self.versionless =
            Self.count(total) < Self.fewest ? nil : Self.largerShare(versionless, of: total)
    }

    /// Returns the predicted share of denied clients in an audience; 0 if too few of its clients were counted.
    func refused(of audience: Impact.Audience) -> Double { self.refused[audience] ?? 0 }

    private static func count(_ amount: ImpactAmount) -> Double {
        amount.countsByDevices ? amount.devices : amount.requests
    }

    private static func share(
        _ side: Impact.Side,
        of total: ImpactAmount,
        by suspects: Set<String>
    ) -> Double {
        let amount = total.countsByDevices ? \ImpactAmount.devices : \ImpactAmount.requests
        let byRules = side.byRule.filter { $0.key.map(suspects.contains) ?? false }.values
            .reduce(0) { $0 + $1[keyPath: amount] }
        let unidentified = side.byRule[nil].map { Self.largerShare($0, of: total) } ?? 0
        return min(1, byRules / max(total[keyPath: amount], 1) + unidentified)
    }

    /// Returns the larger of the shares of requests and of devices, because clients that send
    /// little of their identity might send no device ID either.
    private static func largerShare(_ part: ImpactAmount, of total: ImpactAmount) -> Double {
        max(part.requests / max(total.requests, 1), part.devices / max(total.devices, 1))
    }
}

extension CensusClient {
    /// Whether the client sends nothing that distinguishes the builds of its app.
    var isVersionless: Bool { self.version == .missing && self.build == .missing }
}
