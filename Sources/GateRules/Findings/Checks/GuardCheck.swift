internal import GateCensus
internal import GatePolicy

/// Finds apps and platforms for which rules would newly deny too many of the last day's clients.
struct GuardCheck {
    /// The length of the evaluated census period in seconds.
    static let window: Int64 = 86_400
    /// The minimum number of devices or requests required to reject rules; with fewer, the finding
    /// only warns.
    private static let fewest = 200.0
    /// The minimum number of devices or requests for a finding; with fewer, the gate is probably
    /// being tried out.
    static let minimumForFinding = 20.0

    /// The minimum share of denied clients for a floor to count as denying all clients.
    private static let everybody = 0.99
    /// The maximum number of upcoming dates that are evaluated, earliest first.
    private static let mostDates = 12

    let old: LoadedRules
    let new: LoadedRules
    let census: [CensusRow]
    let now: Timestamp

    /// Returns the effect of the change at a given time.
    private func impact(at date: Timestamp) -> Impact {
        // Maintenance windows are temporary and deny all clients on purpose, so they are ignored
        // here; `lockout` checks their length.
        Impact(
            on: self.census,
            from: self.old.ruleSet,
            to: self.new.ruleSet,
            at: date,
            ignoresMaintenance: true
        )
    }

    /// The dates on which a changed rule starts to deny clients, or to deny more clients.
    private var dates: [Timestamp] {
        let before = Dictionary(firstOf: self.old.definition.rules.map { ($0.id, $0) })
        var dates: Set<Timestamp> = []
        for rule in self.new.definition.rules where before[rule.id] != rule {
            for stage in rule.withNext where stage.hasFloor && stage.mode == .enforce {
                dates.formUnion([stage.schedule.enforceFrom].compactMap(\.self))
                dates.formUnion(stage.rollout.filter { $0.percent > 0 }.compactMap(\.at))
                dates.formUnion(stage.schedule.brownouts.prefix(1).map(\.from))
            }
        }
        return dates.filter { $0 > self.now }.sorted()
    }

    func report(to findings: FindingCollector) {
        guard case .share(let limit) = self.new.guardLimit else { return }
        var told: [Impact.Audience: FindingName] = [:]
        let dates: [Timestamp?] = [nil] + self.dates.prefix(Self.mostDates).map(Optional.some)
        for date in dates {
            for (audience, part) in self.impact(at: date ?? self.now).parts
            where told[audience] != .newlyRefused {
                let finding = self.finding(on: part, of: audience, at: date, above: limit)
                // Each kind of finding is reported once per audience, for the earliest date.
                guard let finding, finding.name != told[audience] else { continue }
                told[audience] = finding.name
                findings.report(
                    finding.name,
                    finding.message,
                    at: self.place(of: finding.rule),
                    rule: finding.rule,
                    allowedBecause: finding.allowedBecause
                )
            }
        }
    }

    /// A finding about an audience with too many denied clients.
    private struct Words {
        let name: FindingName
        let message: String
        let rule: String?
        var allowedBecause: String?
    }

    private func finding(
        on part: Impact.Part,
        of audience: Impact.Audience,
        at date: Timestamp?,
        above limit: Double
    ) -> Words? {
        let countsDevices = part.total.countsByDevices
        let amount = countsDevices ? \ImpactAmount.devices : \ImpactAmount.requests
        let (total, denied) = (part.total[keyPath: amount], part.denied.amount[keyPath: amount])
        guard total >= Self.minimumForFinding, denied > total * limit else { return nil }
        let rule = self.strictestRule(of: part.denied)
        let name = rule.map { "the rule '\($0)'" } ?? "'unidentified'"
        let noun = countsDevices ? "devices" : "requests"
        let words =
            "denies \(Int(denied.rounded())) of the \(Int(total.rounded())) \(noun) "
            + "\(Self.words(audience)) that were seen in the last day and pass now: "
        let share = ShareFormat.percent(denied / total)
        let tooFew =
            total < Self.fewest
            ? "at least \(Int(Self.fewest)) \(noun) are needed to reject the rules" : nil
        guard let date else {
            let most = ShareFormat.percent(limit)
            let allowed = "but 'guard' allows a change to deny at most \(most)"
            return Words(
                name: .newlyRefused,
                message: "\(name) newly \(words)\(share), \(allowed)",
                rule: rule,
                allowedBecause: tooFew
            )
        }
        let plan = "from \(date) on, \(name) \(words)"
        guard denied >= total * Self.everybody, !self.knowsVersion(for: rule) else {
            return Words(
                name: .comingRefusals,
                message: "\(plan)\(share) unless more of them update before then",
                rule: rule
            )
        }
        let why = "no known version will pass; add one to 'releases'"
        return Words(
            name: .newlyRefused,
            message: plan + why,
            rule: rule,
            allowedBecause: tooFew
        )
    }

    private func knowsVersion(for rule: String?) -> Bool {
        let knowledge = KnownVersions(RulesInReview(self.new))
        return self.new.definition.rules.first { $0.id == rule }
            .map { knowledge.knowsVersion(for: $0) } ?? false
    }

    /// Returns the rule that denies the most requests; `nil` if `unidentified` denies them.
    private func strictestRule(of side: Impact.Side) -> String? {
        side.byRule.max { left, right in
            (left.value.requests, right.key ?? "") < (right.value.requests, left.key ?? "")
        }?.key
    }

    private func place(of rule: String?) -> Place {
        rule.flatMap { self.new.places.rules[$0]?.id }
            ?? self.new.places.unidentified
            ?? self.new.places.beginning
    }

    private static func words(_ audience: Impact.Audience) -> String {
        let app = audience.app == RequestTerms.other ? "" : "of '\(audience.app)' "
        let platform =
            audience.platform == RequestTerms.other ? "other platforms" : "'\(audience.platform)'"
        return "\(app)on \(platform)"
    }
}
