internal import GatePolicy

/// Reads one rule, and checks what can be checked without the rest of the file.
struct RuleDecoder {
    static let keys = [
        "id", "match", "minimum", "minimumBuild", "recommended", "blocked", "prerelease", "notice",
        "storeUrl", "mode",
    ]
    static let later = [
        "warnFrom", "enforceFrom", "until", "rollout", "holdUntilInStore", "requiresOS",
        "maintenance",
    ]
    /// The keys that let a rule deny.
    private static let denying = ["minimum", "minimumBuild", "blocked"]

    let problems: Problems

    func decode(_ element: Element) -> RuleDefinition? {
        let fields = Fields(
            element,
            keys: Self.keys,
            later: Self.later,
            problems: self.problems
        )
        guard let fields else { return nil }
        self.checkDemands(fields)
        let id = fields.required("id", of: "a rule")
            .flatMap { $0.parsed(as: "a rule id", self.problems, by: Name.init(parsing:)) }
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
            mode: fields["mode"].flatMap { $0.choice(of: RuleMode.self, self.problems) } ?? .enforce
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

    private func checkDemands(_ fields: Fields) {
        let demands = Self.denying + ["recommended"]
        guard demands.contains(where: { fields[$0] != nil }) else {
            let message = "this rule asks nothing: it needs 'minimum', 'minimumBuild', "
            self.problems.report(message + "'recommended' or 'blocked'", at: fields.place)
            return
        }
        let denying = Self.denying.first { fields[$0] != nil }
        if let denying, fields["storeUrl"] == nil {
            let message = "a rule with '\(denying)' needs 'storeUrl', or a denied client is stuck"
            self.problems.report(message, at: fields.place)
        }
    }

    private func checkOrder(of rule: RuleDefinition, _ fields: Fields) {
        guard let minimum = rule.minimum, let recommended = rule.recommended,
            recommended < minimum, let element = fields["recommended"]
        else { return }
        let message = "the recommended version \(recommended) is below the minimum \(minimum)"
        self.problems.report(message, at: element.place)
    }
}
