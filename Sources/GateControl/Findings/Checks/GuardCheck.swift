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

    private let old: LoadedRules
    private let new: LoadedRules
    private let impact: Impact

    init(from old: LoadedRules, to new: LoadedRules, _ census: [CensusRow], at now: Timestamp) {
        self.old = old
        self.new = new
        // A maintenance is meant for all, and ends by itself; `lockout` looks at its length. What is
        // behind it must not come into force unseen.
        self.impact = Impact(
            on: census,
            from: old.ruleSet,
            to: new.ruleSet,
            at: now,
            ignoresMaintenance: true
        )
    }

    func report(to findings: FindingCollector) {
        guard case .share(let limit) = self.new.guardLimit else { return }
        for (audience, part) in self.impact.parts {
            let countsDevices = part.total.countsByDevices
            let amount = countsDevices ? \ImpactAmount.devices : \ImpactAmount.requests
            let (total, denied) = (
                part.total[keyPath: amount], part.denied.amount[keyPath: amount]
            )
            guard total >= Self.hardlyAny, denied > total * limit else { continue }
            let rule = self.strictestRule(of: part.denied)
            let noun = countsDevices ? "devices" : "requests"
            let words =
                "refuses \(Int(denied.rounded())) of the \(Int(total.rounded())) \(noun) that the last "
                + "day saw \(Self.words(audience)) and that pass now: "
                + "\(ShareWords.percent(denied / total)), and 'guard' lets a change refuse "
                + ShareWords.percent(limit)
            findings.report(
                .newlyRefused,
                (rule.map { "the rule '\($0)' newly " } ?? "'unidentified' newly ") + words,
                at: self.place(of: rule),
                rule: rule,
                allowedBecause: total < Self.fewest
                    ? "fewer than \(Int(Self.fewest)) \(noun) prove too little" : nil
            )
        }
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
