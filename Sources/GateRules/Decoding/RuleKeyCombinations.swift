/// Checks whether the keys of a rule can be combined.
struct RuleKeyCombinations {
    /// The keys that make a rule deny clients.
    static let floors = ["minimum", "minimumBuild", "blocked", "blockedBuilds"]
    private static let recommendations = ["recommended", "recommendedBuild"]
    private static let demands = floors + recommendations + ["next"]
    /// The keys that determine when, and to how many clients, a floor applies.
    private static let ramps = ["warnFrom", "enforceFrom", "rollout", "brownouts"]
    /// The keys that apply only to a recommendation or a warning.
    private static let hints = ["recommendedNotice", "snooze"]
    /// The keys that have no effect in a rule without a version requirement.
    private static let conditions = ["until", "prerelease", "holdUntilInStore", "requiresOS"]

    /// The keys that can be combined with `route`; `next` is allowed for a planned floor.
    private static let besideRoute = [
        "id", "match", "route", "enforceFrom", "until", "rollout", "prerelease", "mode", "next",
        "storeUrl", "notice", "accept",
    ]

    let fields: Fields
    let problems: Problems

    func check() {
        self.checkStore()
        if self.fields["minimumBuild"] == nil {
            self.fields.refuse("minimumBuildOf", "has no effect without 'minimumBuild'")
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
            self.fields.refuse(
                self.first(of: Self.ramps + AnswerDecoder.keys),
                "has no effect without 'minimum', 'minimumBuild' or 'blocked'"
            )
        }
        if self.first(of: Self.recommendations + ["warnFrom"]) == nil {
            self.fields.refuse(
                self.first(of: Self.hints),
                "has no effect without 'recommended' or 'warnFrom'"
            )
        }
    }

    /// Reports keys that depend on store releases in a rule without a platform.
    ///
    /// The platform determines the store, and every store has its own releases.
    private func checkStore() {
        guard self.fields["match"]?["platform"] == nil else { return }
        let reason = "needs 'match' with 'platform': every store has its own releases"
        self.fields.refuse("holdUntilInStore", reason)
        if case .text(RuleDecoder.storeWord) = self.fields["recommended"]?.content {
            self.fields.refuse("recommended", "with 'store' \(reason)")
        }
    }

    private func checkFloor(_ floor: String) {
        if self.fields["storeUrl"] == nil {
            let message =
                "a rule with '\(floor)' needs 'storeUrl', so that denied clients can update"
            self.problems.report(message, at: self.fields.place)
        }
        if self.fields["warnFrom"] != nil, self.fields["enforceFrom"] == nil {
            let reason = "with 'warnFrom' needs 'enforceFrom'; otherwise the rule only warns"
            self.fields.refuse("rollout", reason)
        }
    }

    private func checkMaintenance() {
        for key in Self.demands + Self.ramps + Self.hints + Self.conditions {
            self.fields.refuse(key, "cannot be combined with 'maintenance'; use two rules")
        }
    }

    private func checkRoute() {
        for key in RuleDecoder.keys where !Self.besideRoute.contains(key) {
            self.fields.refuse(key, "cannot be combined with 'route'; use two rules")
        }
        guard self.fields["next"] == nil else { return }
        self.fields.refuse(
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
