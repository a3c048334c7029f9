internal import GateCensus
internal import GatePolicy

/// Finds out how many of the clients of the last day rules would newly refuse, app by app and platform
/// by platform.
struct GuardCheck {
    /// Seconds of the census that it looks at.
    static let window: Int64 = 86_400
    /// Fewer devices prove too little to keep rules out.
    private static let fewest = 200.0
    /// Fewer say nothing at all: somebody tries a gate.
    private static let hardlyAny = 20.0

    /// So many of all are everybody.
    private static let everybody = 0.99
    /// Coming dates that are looked at, the first ones.
    private static let mostDates = 12

    private let old: LoadedRules
    private let new: LoadedRules
    private let census: [CensusRow]
    private let now: Timestamp

    init(from old: LoadedRules, to new: LoadedRules, _ census: [CensusRow], at now: Timestamp) {
        self.old = old
        self.new = new
        self.census = census
        self.now = now
    }

    /// The effect of the change at a second.
    private func impact(at date: Timestamp) -> Impact {
        // A maintenance is meant for all, and ends by itself; `lockout` looks at its length. What is
        // behind it must not come into force unseen.
        Impact(
            on: self.census,
            from: self.old.ruleSet,
            to: self.new.ruleSet,
            at: date,
            ignoresMaintenance: true
        )
    }

    /// The dates on which a changed rule begins to refuse, or refuses more.
    private var dates: [Timestamp] {
        let before = Dictionary(
            self.old.definition.rules.map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
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
                // Each kind is said once, of the first date.
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

    /// The words on an audience of which a change refuses too many.
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
        guard total >= Self.hardlyAny, denied > total * limit else { return nil }
        let rule = self.strictestRule(of: part.denied)
        let name = rule.map { "the rule '\($0)'" } ?? "'unidentified'"
        let noun = countsDevices ? "devices" : "requests"
        let words =
            "refuses \(Int(denied.rounded())) of the \(Int(total.rounded())) \(noun) that the last "
            + "day saw \(Self.words(audience)) and that pass now: "
        let share = ShareWords.percent(denied / total)
        let tooFew =
            total < Self.fewest ? "fewer than \(Int(Self.fewest)) \(noun) prove too little" : nil
        guard let date else {
            let allowed = "and 'guard' lets a change refuse \(ShareWords.percent(limit))"
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
                message: "\(plan)\(share) if no more of them update until then",
                rule: rule
            )
        }
        let why =
            "nobody of the last day would pass, and nothing says that a version which passes will be "
            + "out: state it in 'releases'"
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

    /// The rule because of which most are refused.
    private func strictestRule(of side: Impact.Side) -> String? {
        side.byRule.max { left, right in
            (left.value.requests, right.key ?? "") < (right.value.requests, left.key ?? "")
        }?.key
    }

    private func place(of rule: String?) -> Place {
        rule.flatMap { self.new.places.rules[$0]?.id }
            ?? self.new.places.unidentified
            ?? Place(file: self.new.places.files.first ?? "rules")
    }

    private static func words(_ audience: Impact.Audience) -> String {
        let app = audience.app == RequestTerms.other ? "" : "of '\(audience.app)' "
        let platform =
            audience.platform == RequestTerms.other ? "other platforms" : "'\(audience.platform)'"
        return "\(app)on \(platform)"
    }
}
