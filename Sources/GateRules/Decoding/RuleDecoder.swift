internal import GatePolicy

/// Decodes a rule, and checks everything that does not depend on the rest of the file.
struct RuleDecoder {
    static let keys =
        [
            "id", "match", "minimum", "minimumBuild", "minimumBuildOf", "recommended",
            "recommendedBuild", "blocked", "blockedBuilds", "prerelease",
        ]
        + ScheduleDecoder.keys
        + ["rollout", "holdUntilInStore", "requiresOS", "maintenance", "route", "notice"]
        + ["recommendedNotice", "snooze", "storeUrl"] + AnswerDecoder.keys
        + ["mode", "next", "accept"]

    /// The value of `recommended` that stands for the version in the store.
    static let storeWord = "store"

    let problems: Problems

    func decode(_ element: Element) -> RuleDefinition? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        RuleKeyCombinations(fields: fields, problems: self.problems).check()
        let id = fields.required("id", of: "a rule")
            .flatMap { $0.parsed(as: "a rule id", self.problems, by: RuleID.init(parsing:)) }
        let match = fields["match"].map { MatchDecoder(problems: self.problems).decode($0) }
        let recommended = fields["recommended"].map { self.recommended($0) }
        var rule = RuleDefinition(
            id: id?.text ?? "",
            match: match.flatMap(\.self) ?? .anyone,
            recommended: recommended?.version,
            recommendedBuild: fields["recommendedBuild"].flatMap { $0.build(self.problems) },
            recommendsStoreVersion: recommended?.isStore ?? false,
            prerelease: fields.choice("prerelease", of: PrereleasePolicy.self) ?? .asRelease,
            maintenance: fields["maintenance"]
                .flatMap { MaintenanceDecoder(problems: self.problems).decode($0) },
            route: fields["route"].flatMap { RouteDecoder(problems: self.problems).decode($0) },
            answer: AnswerDecoder(problems: self.problems).decode(fields)
        )
        rule.setFloor(fields, self.problems)
        let until = NamedTime("until", of: fields, Problems())
        rule.next =
            fields["next"]?.oneOrMore(self.problems)
            .compactMap { NextDecoder(problems: self.problems).decode($0, of: rule, until) } ?? []
        self.checkOrder(of: rule, fields)
        return id == nil ? nil : rule
    }

    /// Decodes a version, or `store` for the version in the store.
    private func recommended(_ element: Element) -> (version: AppVersion?, isStore: Bool) {
        if case .text(let text) = element.content {
            if text == Self.storeWord { return (nil, true) }
            let hint = Spelling.hint(for: text, among: [Self.storeWord])
            if !hint.isEmpty {
                let message = "expected a version or '\(Self.storeWord)', found '\(text)'\(hint)"
                self.problems.report(message, at: element.place)
                return (nil, false)
            }
        }
        return (element.bareVersion(self.problems), false)
    }

    private func checkOrder(of rule: RuleDefinition, _ fields: Fields) {
        if let minimum = rule.minimumBuild, let recommended = rule.recommendedBuild,
            recommended < minimum, let element = fields["recommendedBuild"]
        {
            let message = "the recommended build \(recommended) is below the minimum \(minimum)"
            self.problems.report(message, at: element.place)
        }
        guard let minimum = rule.minimum, let recommended = rule.recommended,
            recommended < minimum, let element = fields["recommended"]
        else { return }
        let message = "the recommended version \(recommended) is below the minimum \(minimum)"
        self.problems.report(message, at: element.place)
    }
}

/// Decodes `maintenance`: the window in which requests get 503, or `true` for a window that has
/// started and has no end.
struct MaintenanceDecoder {
    static let keys = ["from", "until", "announceFrom"]

    let problems: Problems

    func decode(_ element: Element) -> MaintenanceWindow? {
        if case .boolean = element.content {
            guard let isOn = element.truth(self.problems) else { return nil }
            if isOn { return .open }
            let message = "'maintenance: false' has no effect: remove the rule"
            return self.problems.reject(message, at: element.place)
        }
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        for key in ["from", "until"] { _ = fields.required(key, of: "a maintenance window") }
        let from = NamedTime("from", of: fields, self.problems)
        let until = NamedTime("until", of: fields, self.problems)
        let announceFrom = NamedTime("announceFrom", of: fields, self.problems)
        until?.check(isAfter: from, self.problems)
        announceFrom?.check(isNotAfter: from, self.problems)
        guard let from, let until else { return nil }
        return MaintenanceWindow(
            from: from.time,
            until: until.time,
            announceFrom: announceFrom?.time
        )
    }
}

/// The ID of a rule, which must differ from the names that tests use for decisions without a rule.
struct RuleID: Sendable, Equatable {
    private static let reserved = [RuleExpectation.noRule, RuleExpectation.unidentified]

    let text: String

    init(parsing text: String) throws(InvalidText) {
        self.text = try Name(parsing: text).text
        guard !Self.reserved.contains(text) else {
            throw InvalidText("tests use this name for decisions without a rule")
        }
    }
}
