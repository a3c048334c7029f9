/// Checks which keys of a rule go together: what it asks, of whom, and since when.
struct RuleDemands {
    /// The keys that let a rule deny.
    private static let floors = ["minimum", "minimumBuild", "blocked"]
    private static let demands = floors + ["recommended"]
    /// The keys that say when, and for how many, a floor holds.
    private static let ramps = ["warnFrom", "enforceFrom", "rollout"]

    private let fields: Fields
    private let problems: Problems

    init(_ fields: Fields, _ problems: Problems) {
        self.fields = fields
        self.problems = problems
    }

    func check() {
        guard self.fields["maintenance"] == nil else { return self.checkMaintenance() }
        guard self.first(of: Self.demands) != nil else {
            let message =
                "this rule asks nothing: it needs 'minimum', 'minimumBuild', 'recommended', "
                + "'blocked' or 'maintenance'"
            return self.problems.report(message, at: self.fields.place)
        }
        if let floor = self.first(of: Self.floors) {
            self.checkFloor(floor)
        } else if let ramp = self.first(of: Self.ramps), let place = self.fields.place(of: ramp) {
            let message = "'\(ramp)' needs 'minimum', 'minimumBuild' or 'blocked' to act on"
            self.problems.report(message, at: place)
        }
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
        for key in Self.demands + Self.ramps + ["until", "prerelease"] {
            guard let place = self.fields.place(of: key) else { continue }
            let message = "'\(key)' does not go together with 'maintenance'; make two rules"
            self.problems.report(message, at: place)
        }
    }

    private func first(of keys: [String]) -> String? {
        keys.first { self.fields[$0] != nil }
    }
}
