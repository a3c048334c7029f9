internal import GatePolicy

/// Finds floors that the newest release in a store does not reach: everybody would be locked out,
/// and no update would help.
struct UnreachableFloorCheck: LintCheck {
    /// Clients that get their updates from the same place.
    private struct Store: Hashable {
        let app: String?
        let platform: Platform
        let channel: String?
    }

    func check(_ rules: LoadedRules, at now: Timestamp, _ problems: Problems) {
        for rule in rules.definition.rules where self.canLockOut(rule, at: now) {
            // A floor that is to come is held against what is out by then.
            let firstStep = rule.rollout.first { $0.percent > 0 }?.at
            let time = max(now, rule.schedule.enforceFrom ?? now, firstStep ?? now)
            for store in self.stores(for: rule, in: rules.definition) {
                guard let place = rules.places.rules[rule.id] else { continue }
                guard let newest = self.newest(in: store.releases, at: time) else {
                    let message =
                        "the rule '\(rule.id)' locks everybody out: nothing in 'releases' is out "
                        + "for everybody on \(store.name); wait with 'holdUntilInStore'"
                    problems.report(message, at: place.id)
                    continue
                }
                guard !rule.admits(newest) else { continue }
                problems.report(
                    self.message(rule, store.name, newest),
                    at: place.place(of: self.key(of: rule, refusing: newest))
                )
            }
        }
    }

    private func canLockOut(_ rule: RuleDefinition, at now: Timestamp) -> Bool {
        let isOver = rule.schedule.until.map { $0 <= now } ?? false
        let onlyWarns = rule.schedule.warnFrom != nil && rule.schedule.enforceFrom == nil
        return rule.hasFloor && rule.mode == .enforce && rule.holdUntilInStore == nil && !isOver
            && !onlyWarns
    }

    /// The releases that concern a rule, by the place where clients get them.
    private func stores(
        for rule: RuleDefinition,
        in definition: RuleSetDefinition
    ) -> [(name: String, releases: [Release])] {
        let platforms = rule.match.platforms ?? definition.releases.map(\.platform)
        let releases = Set(platforms).flatMap { rule.releases(for: $0, in: definition) }
        let stores = Dictionary(grouping: releases) { release in
            Store(app: release.app, platform: release.platform, channel: release.channel)
        }
        let channels = rule.match.channels?.map { $0.lowercased() }
        return stores.compactMap { store, releases in
            guard self.isMeant(store, by: channels, among: stores.keys) else { return nil }
            // Builds that no fact states cannot be compared.
            let isSilent = rule.minimumBuild != nil && releases.allSatisfy { $0.build == nil }
            let name = [store.platform.name, store.channel, store.app].compactMap(\.self)
            return isSilent ? nil : (name.joined(separator: ", "), releases)
        }
    }

    /// Whether clients of these channels get their updates there; a store without a channel serves
    /// those that have none of their own.
    private func isMeant(
        _ store: Store,
        by channels: [String]?,
        among stores: some Sequence<Store>
    ) -> Bool {
        guard let channels else { return true }
        if let channel = store.channel { return channels.contains(channel) }
        let own = stores.filter { $0.app == store.app && $0.platform == store.platform }
        return !channels.allSatisfy { channel in own.contains { $0.channel == channel } }
    }

    /// The newest release that everybody gets.
    private func newest(in releases: [Release], at time: Timestamp) -> Release? {
        // A release that names no country is everywhere, and one that names some is not.
        let isEverywhere = releases.contains { $0.countries == nil }
        let countries = Set(releases.flatMap { $0.countries?.keys.map { $0 } ?? [] })
        let complete = releases.filter { release in
            let isThere =
                release.countries == nil
                ? release.isOut(in: nil, at: time)
                : !isEverywhere && countries.allSatisfy { release.isOut(in: $0, at: time) }
            return isThere && release.isComplete(at: time)
        }
        return complete.max { left, right in
            (left.version, left.build ?? 0) < (right.version, right.build ?? 0)
        }
    }

    private func key(of rule: RuleDefinition, refusing release: Release) -> String {
        if rule.minimum.map({ release.version.release < $0 }) ?? false { return "minimum" }
        if let build = rule.minimumBuild, release.build ?? 0 < build { return "minimumBuild" }
        return rule.blocked.isEmpty ? "minimum" : "blocked"
    }

    private func message(_ rule: RuleDefinition, _ store: String, _ newest: Release) -> String {
        let build = newest.build.map { " (\($0))" } ?? ""
        return
            "the rule '\(rule.id)' locks everybody out: it refuses \(newest.version)\(build), the "
            + "newest release for \(store) in 'releases'; wait with 'holdUntilInStore'"
    }
}

extension Release {
    /// Whether a country has it; `nil` for every country.
    fileprivate func isOut(in country: String?, at time: Timestamp) -> Bool {
        var date = self.releasedAt
        if let country {
            guard let own = self.countries?[country] else { return false }
            date = own ?? date
        }
        return date.map { $0 <= time } ?? true
    }

    fileprivate func isComplete(at time: Timestamp) -> Bool {
        switch self.phase {
        case .complete: true
        case .phased(let completeAt): completeAt <= time
        case .partial: false
        }
    }
}
