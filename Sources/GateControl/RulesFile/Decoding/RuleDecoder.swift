internal import GatePolicy

/// Reads one rule, and checks what can be checked without the rest of the file.
struct RuleDecoder {
    static let keys =
        ["id", "match", "minimum", "minimumBuild", "recommended", "blocked", "prerelease"]
        + ScheduleDecoder.keys + ["rollout", "maintenance", "notice", "storeUrl", "mode"]
    static let later = ["holdUntilInStore", "requiresOS"]

    let problems: Problems

    func decode(_ element: Element) -> RuleDefinition? {
        let fields = Fields(
            element,
            keys: Self.keys,
            later: Self.later,
            problems: self.problems
        )
        guard let fields else { return nil }
        RuleDemands(fields, self.problems).check()
        let id = fields.required("id", of: "a rule")
            .flatMap { $0.parsed(as: "a rule id", self.problems, by: RuleID.init(parsing:)) }
        let match = fields["match"].map { MatchDecoder(problems: self.problems).decode($0) }
        let rule = RuleDefinition(
            id: id?.text ?? "",
            match: match.flatMap(\.self) ?? .anyone,
            minimum: fields["minimum"].flatMap { self.version($0) },
            minimumBuild: fields["minimumBuild"]
                .flatMap { $0.wholeNumber("a build number", self.problems) },
            recommended: fields["recommended"].flatMap { self.recommended($0) },
            blocked: fields["blocked"]
                .map { MatchDecoder(problems: self.problems).ranges($0) } ?? [],
            prerelease: fields["prerelease"]
                .flatMap { $0.choice(of: PrereleasePolicy.self, self.problems) } ?? .asRelease,
            notice: fields["notice"].flatMap { $0.text("the name of a notice", self.problems) },
            storeURL: fields["storeUrl"]
                .flatMap { StoreURLDecoder(problems: self.problems).decode($0) },
            mode: fields["mode"]
                .flatMap { $0.choice(of: RuleMode.self, self.problems) } ?? .enforce,
            schedule: ScheduleDecoder(problems: self.problems).decode(fields),
            rollout: fields["rollout"]
                .map { RolloutDecoder(problems: self.problems).decode($0) } ?? [],
            maintenance: fields["maintenance"]
                .flatMap { MaintenanceDecoder(problems: self.problems).decode($0) }
        )
        self.checkOrder(of: rule, fields)
        return id == nil ? nil : rule
    }

    private func version(_ element: Element) -> AppVersion? {
        element.parsed(as: "a version", self.problems, by: AppVersion.init(parsing:))
    }

    private func recommended(_ element: Element) -> AppVersion? {
        if case .text("store") = element.content {
            let message = "'recommended: store' is not supported by this version"
            self.problems.report(message, at: element.place)
            return nil
        }
        return self.version(element)
    }

    private func checkOrder(of rule: RuleDefinition, _ fields: Fields) {
        guard let minimum = rule.minimum, let recommended = rule.recommended,
            recommended < minimum, let element = fields["recommended"]
        else { return }
        let message = "the recommended version \(recommended) is below the minimum \(minimum)"
        self.problems.report(message, at: element.place)
    }
}
