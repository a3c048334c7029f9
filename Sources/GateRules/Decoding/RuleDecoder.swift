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
        RuleKeyCombinations(fields, self.problems).check()
        let id = fields.required("id", of: "a rule")
            .flatMap { $0.parsed(as: "a rule id", self.problems, by: RuleID.init(parsing:)) }
        let match = fields["match"].map { MatchDecoder(problems: self.problems).decode($0) }
        let recommended = fields["recommended"].map { self.recommended($0) }
        var rule = RuleDefinition(
            id: id?.text ?? "",
            match: match.flatMap(\.self) ?? .anyone,
            minimum: fields["minimum"].flatMap { self.version($0) },
            minimumBuild: fields["minimumBuild"].flatMap { $0.build(self.problems) },
            minimumBuildOf: fields["minimumBuildOf"].flatMap { self.version($0) },
            recommended: recommended?.version,
            recommendedBuild: fields["recommendedBuild"].flatMap { $0.build(self.problems) },
            recommendsStoreVersion: recommended?.isStore ?? false,
            blocked: fields["blocked"]
                .map { MatchDecoder(problems: self.problems).ranges($0) } ?? [],
            blockedBuilds: BlockedBuildsDecoder(problems: self.problems).decode(fields),
            prerelease: fields["prerelease"]
                .flatMap { $0.choice(of: PrereleasePolicy.self, self.problems) } ?? .asRelease,
            notice: fields["notice"].flatMap { $0.text("a notice name", self.problems) },
            recommendedNotice: fields["recommendedNotice"]
                .flatMap { $0.text("a notice name", self.problems) },
            storeURL: fields["storeUrl"]
                .flatMap { StoreURLDecoder(problems: self.problems).decode($0) },
            mode: fields["mode"]
                .flatMap { $0.choice(of: RuleMode.self, self.problems) } ?? .enforce,
            schedule: ScheduleDecoder(problems: self.problems).decode(fields),
            rollout: fields["rollout"]
                .map { RolloutDecoder(problems: self.problems).decode($0) } ?? [],
            maintenance: fields["maintenance"]
                .flatMap { MaintenanceDecoder(problems: self.problems).decode($0) },
            route: fields["route"].flatMap { RouteDecoder(problems: self.problems).decode($0) },
            holdUntilInStore: fields["holdUntilInStore"]
                .flatMap { HoldDecoder(problems: self.problems).decode($0) },
            requiresOS: fields["requiresOS"]
                .map { MatchDecoder(problems: self.problems).ranges($0) } ?? [],
            answer: AnswerDecoder(problems: self.problems).decode(fields),
            snooze: fields["snooze"].flatMap { $0.timeSpan(self.problems) }
        )
        let until = NamedTime("until", of: fields, Problems())
        rule.next =
            fields["next"]?.oneOrMore(self.problems)
            .compactMap { NextDecoder(problems: self.problems).decode($0, of: rule, until) } ?? []
        self.checkOrder(of: rule, fields)
        return id == nil ? nil : rule
    }

    func version(_ element: Element) -> AppVersion? {
        element.parsed(
            as: "a version",
            self.problems,
            hint: RangeSpelling.hint(forVersion:),
            by: AppVersion.init(parsing:)
        )
    }

    /// Decodes a version, or `store` for the version in the store.
    private func recommended(_ element: Element) -> (version: AppVersion?, isStore: Bool) {
        guard case .text(let text) = element.content else { return (self.version(element), false) }
        if text == Self.storeWord { return (nil, true) }
        guard Spelling.nearest(to: text, among: [Self.storeWord]) == nil else {
            let expected = "expected a version or '\(Self.storeWord)', found '\(text)'"
            let message = "\(expected); did you mean '\(Self.storeWord)'?"
            self.problems.report(message, at: element.place)
            return (nil, false)
        }
        return (self.version(element), false)
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
    /// Reasons why a string is not a rule ID.
    enum Failure: Error, CustomStringConvertible {
        case shape
        case reserved

        var description: String {
            switch self {
            case .shape: Name.Failure.shape.description
            case .reserved: "tests use this name for decisions without a rule"
            }
        }
    }

    private static let reserved = [RuleExpectation.noRule, RuleExpectation.unidentified]

    let text: String

    init(parsing text: String) throws(Failure) {
        guard let name = try? Name(parsing: text) else { throw .shape }
        guard !Self.reserved.contains(name.text) else { throw .reserved }
        self.text = name.text
    }
}
