/// Checks which keys of a rule go together: what it asks, of whom, and since when.
struct RuleDemands {
    /// The keys that let a rule deny.
    static let floors = ["minimum", "minimumBuild", "blocked", "blockedBuilds"]
    private static let recommendations = ["recommended", "recommendedBuild"]
    private static let demands = floors + recommendations + ["next"]
    /// The keys that say when, and for how many, a floor holds.
    private static let ramps = ["warnFrom", "enforceFrom", "rollout", "brownouts"]
    /// The keys that only a recommendation or a warning makes use of.
    private static let hints = ["recommendedNotice", "snooze"]
    /// The keys that say nothing if the version does not matter.
    private static let conditions = ["until", "prerelease", "holdUntilInStore", "requiresOS"]

    private let fields: Fields
    private let problems: Problems

    init(_ fields: Fields, _ problems: Problems) {
        self.fields = fields
        self.problems = problems
    }

    func check() {
        self.checkStore()
        if self.fields["minimumBuild"] == nil {
            self.refuse("minimumBuildOf", "needs 'minimumBuild' to act on")
        }
        guard self.fields["maintenance"] == nil else { return self.checkMaintenance() }
        guard self.first(of: Self.demands) != nil else {
            let message =
                "this rule asks nothing: it needs 'minimum', 'minimumBuild', 'recommended', "
                + "'blocked', 'next' or 'maintenance'"
            return self.problems.report(message, at: self.fields.place)
        }
        if let floor = self.first(of: Self.floors) {
            self.checkFloor(floor)
        } else {
            self.refuse(
                self.first(of: Self.ramps + AnswerDecoder.keys),
                "needs 'minimum', 'minimumBuild' or 'blocked' to act on"
            )
        }
        if self.first(of: Self.recommendations + ["warnFrom"]) == nil {
            self.refuse(self.first(of: Self.hints), "needs 'recommended' or 'warnFrom' to act on")
        }
    }

    /// Facts of stores are facts of a platform.
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
            let message = "a rule with '\(floor)' needs 'storeUrl', or a denied client is stuck"
            self.problems.report(message, at: self.fields.place)
        }
        if self.fields["warnFrom"] != nil, self.fields["enforceFrom"] == nil,
            let place = self.fields.place(of: "rollout")
        {
            let message =
                "'rollout' beside 'warnFrom' needs 'enforceFrom': without it, the rule warns for "
                + "ever"
            self.problems.report(message, at: place)
        }
    }

    private func checkMaintenance() {
        for key in Self.demands + Self.ramps + Self.hints + Self.conditions
        where self.fields[key] != nil {
            self.refuse(key, "does not go together with 'maintenance'; make two rules")
        }
    }

    /// The keys that have nothing to act on in a rule with these.
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
    /// Whether a mapping has a key, without a check of what it says.
    fileprivate func hasKey(_ key: String) -> Bool {
        guard case .mapping(let entries) = self.content else { return false }
        return entries.contains { $0.key == key }
    }
}
