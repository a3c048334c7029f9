package import GatePolicy

/// The share of clients that rules on trial are going to refuse, as far as a census can tell.
///
/// It is of one second: windows, steps and holds are those of that time.
package struct RefusalPrediction: Sendable {
    /// Fewer clients predict nothing: the guard has not judged them either.
    private static let fewest = 200.0

    /// By app and platform: how many of each there are at an hour, a day does not tell.
    private var refused: [Impact.Audience: Double] = [:]
    /// The share of clients that say neither version nor build; `nil` if too few were counted.
    let versionless: Double?
    /// The next second at which clients of the census may be judged otherwise; `nil`: none.
    package let validUntil: Timestamp?

    /// Judges the clients of a census.
    ///
    /// - Parameters:
    ///   - rows: The census of the time before the change.
    ///   - ruleSet: The rules as they act now.
    ///   - suspects: The ids of the rules on trial.
    ///   - now: The second.
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

    /// The share of an audience that is refused; nobody, if too few of it were counted.
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

    /// The share of those who say little of themselves, who may not name their device either.
    private static func largerShare(_ part: ImpactAmount, of total: ImpactAmount) -> Double {
        max(part.requests / max(total.requests, 1), part.devices / max(total.devices, 1))
    }
}

extension CensusClient {
    /// Whether it states nothing that tells one build of its app from another.
    var isVersionless: Bool { self.version == .missing && self.build == .missing }
}
