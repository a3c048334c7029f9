internal import GatePolicy

/// The versions that clients of a rule can get: what stores have, or else what rules recommend.
struct KnownVersions {
    enum Verdict: Equatable {
        case open
        /// Nothing that is known passes; the key of the rule that refuses, and why.
        case closed(key: String?, String)
        /// The newest release is refused, and an older one passes.
        case newestRefused(key: String, String)
    }

    /// Clients that get their updates from the same place.
    private struct Store: Hashable {
        let app: String?
        let platform: Platform
        let channel: String?
    }

    private let releases: [Platform: [Release]]
    /// Rules that recommend a version, in their order, and where those stand that are for an app.
    private let recommending: [RulesInReview.Floor]
    private var recommendingByApp: [String: [Int]] = [:]
    private var recommendingAnyApp: [Int] = []
    private let all: [Int]

    init(_ rules: RulesInReview) {
        self.releases = Dictionary(grouping: rules.definition.releases, by: \.platform)
        self.recommending = rules.floors.filter {
            $0.base == nil && $0.rule.mode == .enforce && $0.rule.recommended != nil
        }
        self.all = Array(self.recommending.indices)
        for (place, floor) in self.recommending.enumerated() {
            guard let apps = floor.rule.match.apps else {
                self.recommendingAnyApp.append(place)
                continue
            }
            for app in Set(apps) { self.recommendingByApp[app, default: []].append(place) }
        }
    }

    /// Whether clients of a rule can update their way past all rules of a group.
    func verdict(
        on rule: RuleDefinition,
        _ group: [RuleDefinition],
        at time: Timestamp
    ) -> Verdict {
        let stores = self.stores(for: rule)
        guard !stores.isEmpty else { return self.recommendations(for: rule, group) }
        var refused = Verdict.open
        for store in stores {
            let out = self.complete(store.releases, at: time)
            guard let newest = out.max(by: { $0.precedes($1) }) else {
                return .closed(
                    key: nil,
                    "nothing in 'releases' is out for everybody on \(store.name); wait with "
                        + "'holdUntilInStore'"
                )
            }
            guard let refusing = group.first(where: { !$0.admits(newest) }) else { continue }
            let key = Self.key(of: refusing, refusing: newest)
            let build = newest.build.map { " (\($0))" } ?? ""
            let words =
                "refuses \(newest.version)\(build), the newest release for \(store.name) in "
                + "'releases'"
            let passes = out.contains { release in group.allSatisfy { $0.admits(release) } }
            guard passes else {
                return .closed(key: key, "it \(words); wait with 'holdUntilInStore'")
            }
            refused = .newestRefused(key: key, "\(words): whoever has it cannot update")
        }
        return refused
    }

    /// Whether a version is known that clients of a rule can get.
    func knowsVersion(for rule: RuleDefinition) -> Bool {
        !self.stores(for: rule).isEmpty
            || self.recommending(for: rule.match.apps).contains {
                self.recommending[$0].rule.match.overlaps(rule.match)
            }
    }

    /// Rules that recommend something to the same clients know best where no store is known.
    private func recommendations(
        for rule: RuleDefinition,
        _ group: [RuleDefinition]
    ) -> Verdict {
        var newest: AppVersion?
        for place in self.recommending(for: rule.match.apps) {
            let other = self.recommending[place].rule
            // Testers have versions that are recommended to nobody else.
            guard other.match.overlaps(rule.match),
                rule.match.channels == nil || other.match.channels != nil,
                let version = other.recommended
            else { continue }
            if group.allSatisfy({ $0.admits(version) }) { return .open }
            newest = newest.map { max($0, version) } ?? version
        }
        guard let version = newest else { return .open }
        let refusing = group.first { !$0.admits(version) } ?? rule
        return .closed(
            key: refusing.minimum.map { version.release < $0 } ?? false ? "minimum" : "blocked",
            "it refuses \(version), the newest version that a rule recommends"
        )
    }

    /// The places of the rules that recommend something to clients of one of these apps.
    private func recommending(for apps: [String]?) -> some Sequence<Int> {
        var named: [Int] = []
        var rest = self.recommendingAnyApp[...]
        if let apps {
            named = Set(apps.flatMap { self.recommendingByApp[$0] ?? [] }).sorted()
        } else {
            rest = self.all[...]
        }
        return [named[...], rest].lazy.joined()
    }

    /// The releases that concern a rule, by the place where clients get them.
    private func stores(for rule: RuleDefinition) -> [(name: String, releases: [Release])] {
        guard !self.releases.isEmpty else { return [] }
        let platforms = rule.match.platforms ?? Array(self.releases.keys)
        let releases = Set(platforms).flatMap { rule.releases(among: self.releases[$0] ?? []) }
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
        .sorted { $0.name < $1.name }
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

    /// The releases that everybody gets.
    private func complete(_ releases: [Release], at time: Timestamp) -> [Release] {
        // A release that names no country is everywhere, and one that names some is not.
        let isEverywhere = releases.contains { $0.countries == nil }
        let countries = Set(releases.flatMap { $0.countries(awaitedBy: nil) })
        return releases.filter { release in
            let isThere =
                release.countries == nil
                ? release.isOut(in: nil, at: time)
                : !isEverywhere && countries.allSatisfy { release.isOut(in: $0, at: time) }
            return isThere && release.isComplete(at: time)
        }
    }

    private static func key(of rule: RuleDefinition, refusing release: Release) -> String {
        if rule.minimum.map({ release.version.release < $0 }) ?? false { return "minimum" }
        if let build = rule.minimumBuild, release.build ?? 0 < build { return "minimumBuild" }
        if !rule.blocked.isEmpty { return "blocked" }
        return rule.blockedBuilds.isEmpty ? "minimum" : "blockedBuilds"
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

    fileprivate func precedes(_ other: Release) -> Bool {
        (self.version, self.build ?? 0) < (other.version, other.build ?? 0)
    }
}

extension RuleDefinition {
    /// The releases of one platform that are for clients of this rule.
    func releases(among releases: [Release]) -> [Release] {
        releases.filter { release in
            guard let apps = self.match.apps, let app = release.app else { return true }
            return apps.contains(app)
        }
    }
}
