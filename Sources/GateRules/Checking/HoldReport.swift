package import GatePolicy

/// A text report of the stores that rules with `holdUntilInStore` wait for, by country.
package struct HoldReport {
    private let definition: RuleSetDefinition
    private let now: Timestamp

    package init(_ definition: RuleSetDefinition, at now: Timestamp) {
        self.definition = definition
        self.now = now
    }

    /// The lines of the report: one per store, for each rule that has a hold and has not ended.
    package var lines: [String] {
        self.definition.rulesWithNext.flatMap { rule in
            let isOver = rule.schedule.until.map { $0 <= self.now } ?? false
            guard let hold = rule.holdUntilInStore, !isOver else { return [String]() }
            return (rule.match.platforms ?? []).flatMap { platform in
                self.lines(rule, hold, self.definition.releases.filter { $0.platform == platform })
                    ?? [
                        "rule '\(rule.id)': waits for \(rule.demand): no releases "
                            + "for \(platform) are known"
                    ]
            }
        }
    }

    /// Returns a line for each app and channel with releases of its own; `nil` if there are no
    /// releases for the rule.
    private func lines(
        _ rule: RuleDefinition,
        _ hold: StoreHold,
        _ releases: [Release]
    ) -> [String]? {
        let known = releases.filter { release in
            release.app.map { rule.match.accepts(app: $0) } ?? true
        }
        let shops = known.map { [$0.app, $0.channel] }.uniqued()
        let lines = shops.map { shop in
            let own = known.filter { [$0.app, $0.channel] == shop }
            let place = shop.compactMap(\.self).map { " (\($0))" }.joined()
            return "rule '\(rule.id)'\(place): waits for \(rule.demand): "
                + self.words(rule, hold, own)
        }
        return lines.isEmpty ? nil : lines
    }

    private func words(_ rule: RuleDefinition, _ hold: StoreHold, _ releases: [Release]) -> String {
        let releases = StoreRelease.releases(in: releases)
        let candidates = releases.filter { rule.admits($0) }
        let countries = Set(releases.flatMap { $0.countries(awaitedBy: hold) }).sorted()
        let unsoaked = StoreHold(countries: countries)
        func first(_ begin: (StoreRelease) -> EffectiveFrom) -> EffectiveFrom {
            candidates.map(begin).min() ?? .never
        }
        let stores =
            countries.isEmpty
            ? [self.sighting(nil, first { EffectiveFrom(of: $0, unsoaked) })]
            : countries.map { country in
                self.sighting(country, first { EffectiveFrom(of: $0, unsoaked, in: country) })
            }
        let all = self.start(of: rule, first { EffectiveFrom(of: $0, hold) })
        let own = countries.map { country in
            (country, self.start(of: rule, first { EffectiveFrom(of: $0, hold, in: country) }))
        }
        let gap = candidates.isEmpty ? self.gap(in: releases, for: rule) : ""
        return stores.joined(separator: ", ") + gap + "; " + self.begin(all, own, hold)
    }

    /// Returns a note about builds of the newest release that do not pass the rule.
    private func gap(in releases: [StoreRelease], for rule: RuleDefinition) -> String {
        guard let newest = releases.max(by: { $0.precedes($1) }) else { return "" }
        guard let refused = rule.refusedPart(of: newest) else { return "" }
        return " (\(refused.words) \(refused.isSingle ? "does" : "do") not pass)"
    }

    /// Returns a note on whether a store has a release that passes the rule, and since when.
    ///
    /// `country` is the country of the store; `nil` if neither the hold nor a release names countries.
    private func sighting(_ country: String?, _ effective: EffectiveFrom) -> String {
        let place = country ?? "in the store"
        return switch effective {
        case .always: "\(country ?? "the store") has it"
        case .from(let date) where date <= self.now: "\(place) since \(date)"
        case .from(let date): "\(place) from \(date)"
        case .never: country.map { "\($0) not yet" } ?? "not yet in the store"
        }
    }

    /// Returns the time at which a rule takes effect: the end of the hold, or the rule's own start if it is later.
    private func start(of rule: RuleDefinition, _ effective: EffectiveFrom) -> EffectiveFrom {
        let schedule = rule.schedule
        guard let date = schedule.enforceFrom ?? schedule.warnFrom else { return effective }
        return max(effective, .from(date))
    }

    private func begin(_ all: EffectiveFrom, _ own: [(String, EffectiveFrom)], _ hold: StoreHold)
        -> String
    {
        switch all {
        case .always: return "has begun"
        case .from(let date) where date <= self.now: return "began on \(date)"
        case .from, .never: break
        }
        let begun = own.filter { $0.1.hasBegun(at: self.now) }.map(\.0)
        let coming = own.compactMap { country, effective in
            effective == all || effective.hasBegun(at: self.now)
                ? nil : effective.date.map { "begins in \(country) on \($0)" }
        }
        var parts = begun.isEmpty ? [] : ["has begun in \(begun.joined(separator: ", "))"]
        parts += coming
        let others = parts.isEmpty ? "" : " for all others"
        if let date = all.date {
            parts.append("begins\(others) on \(date)")
        } else {
            let stores = own.isEmpty ? "the store has" : "all stores have"
            let soak = hold.soak > 0 ? " had it for \(TimeSpan(seconds: hold.soak))" : " it"
            parts.append("begins\(others) when \(stores)\(soak)")
        }
        return parts.joined(separator: "; ")
    }
}

extension RuleDefinition {
    /// The requirement that a release must meet to pass the rule, as text.
    fileprivate var demand: String {
        let parts = [
            self.minimum.map { "\($0)" }, self.minimumBuild.map { "build \($0)" },
            self.minimum == nil && self.minimumBuild == nil
                && (!self.blocked.isEmpty || !self.blockedBuilds.isEmpty)
                ? "a version that is not blocked" : nil,
        ].compactMap(\.self)
        guard parts.isEmpty else { return parts.joined(separator: " and ") }
        return self.recommended.map { "\($0)" } ?? self.recommendedBuild.map { "build \($0)" }
            ?? "a release"
    }
}
