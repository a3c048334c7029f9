/// Checks whether the keys of a rule can be combined.
struct RuleKeyCombinations {
    /// The keys with which a rule denies clients.
    static let floors = ["minimum", "minimumBuild", "blocked", "blockedBuilds"]
    private static let recommendations = ["recommended", "recommendedBuild"]
    private static let demands = floors + recommendations + ["next"]
    /// The keys that determine when, and to how many clients, a floor applies.
    private static let ramps = ["warnFrom", "enforceFrom", "rollout", "brownouts"]
    /// The keys that only apply to a recommendation or a warning.
    private static let hints = ["recommendedNotice", "snooze"]
    /// The keys that have no effect in a rule without a version requirement.
    private static let conditions = ["until", "prerelease", "holdUntilInStore", "requiresOS"]

    /// The keys that can be combined with `route`; a planned floor is in `next`.
    private static let besideRoute = [
        "id", "match", "route", "enforceFrom", "until", "rollout", "prerelease", "mode", "next",
        "storeUrl", "notice", "accept",
    ]

    private let fields: Fields
    private let problems: Problems

    init(_ fields: Fields, _ problems: Problems) {
        self.fields = fields
        self.problems = problems
    }

    func check() {
        self.checkStore()
        if self.fields["minimumBuild"] == nil {
            self.refuse("minimumBuildOf", "has no effect without 'minimumBuild'")
        }
        guard self.fields["route"] == nil else { return self.checkRoute() }
        guard self.fields["maintenance"] == nil else { return self.checkMaintenance() }
        guard self.first(of: Self.demands) != nil else {
            let message =
                "this rule has no effect: it needs 'minimum', 'minimumBuild', 'recommended', "
                + "'blocked', 'next', 'route' or 'maintenance'"
            return self.problems.report(message, at: self.fields.place)
        }
        if let floor = self.first(of: Self.floors) {
            self.checkFloor(floor)
        } else {
            self.refuse(
                self.first(of: Self.ramps + AnswerDecoder.keys),
                "has no effect without 'minimum', 'minimumBuild' or 'blocked'"
            )
        }
        if self.first(of: Self.recommendations + ["warnFrom"]) == nil {
            self.refuse(
                self.first(of: Self.hints),
                "has no effect without 'recommended' or 'warnFrom'"
            )
        }
    }

    /// Reports keys that depend on releases but have no platform: every store has its own releases.
    private func checkStore() {
        let isForPlatforms = self.fields["match"]?.hasKey("platform") ?? false
        guard !isForPlatforms else { return }
        self.refuse(
            self.first(of: ["holdUntilInStore"]),
            "needs 'match' with 'platform': every store has its own releases"
        )
        if case .text(RuleDecoder.storeWord) = self.fields["recommended"]?.content {
            self.refuse(
                "recommended",
                "with 'store' needs 'match' with 'platform': every store has its own releases"
            )
        }
    }

    private func refuse(_ key: String?, _ reason: String) {
        guard let key, let place = self.fields.place(of: key) else { return }
        self.problems.report("'\(key)' \(reason)", at: place)
    }

    private func checkFloor(_ floor: String) {
        if self.fields["storeUrl"] == nil {
            let message =
                "a rule with '\(floor)' needs 'storeUrl', so that denied clients can update"
            self.problems.report(message, at: self.fields.place)
        }
        if self.fields["warnFrom"] != nil, self.fields["enforceFrom"] == nil,
            let place = self.fields.place(of: "rollout")
        {
            let message =
                "'rollout' with 'warnFrom' needs 'enforceFrom'; otherwise the rule only "
                + "warns"
            self.problems.report(message, at: place)
        }
    }

    private func checkMaintenance() {
        for key in Self.demands + Self.ramps + Self.hints + Self.conditions
        where self.fields[key] != nil {
            self.refuse(key, "cannot be combined with 'maintenance'; use two rules")
        }
    }

    private func checkRoute() {
        for key in RuleDecoder.keys where !Self.besideRoute.contains(key) {
            guard self.fields[key] != nil else { continue }
            self.refuse(key, "cannot be combined with 'route'; use two rules")
        }
        guard self.fields["next"] == nil else { return }
        self.refuse(
            self.first(of: ["storeUrl", "notice"]),
            "has no effect in a rule with 'route' and no 'next'"
        )
    }

    /// Returns the keys that have no effect in a rule with the given keys.
    static func idleKeys(beside keys: [String]) -> Set<String> {
        let hasFloor = keys.contains { Self.floors.contains($0) }
        let idle = hasFloor ? [] : Self.ramps + AnswerDecoder.keys
        let recommends = keys.contains { Self.recommendations.contains($0) }
        let warns = recommends || (hasFloor && keys.contains("warnFrom"))
        return Set(idle + (warns ? [] : Self.hints))
    }

    private func first(of keys: [String]) -> String? {
        keys.first { self.fields[$0] != nil }
    }
}

extension Element {
    /// Whether a mapping has a key; its value is not checked.
    fileprivate func hasKey(_ key: String) -> Bool {
        guard case .mapping(let entries) = self.content else { return false }
        return entries.contains { $0.key == key }
    }
}
