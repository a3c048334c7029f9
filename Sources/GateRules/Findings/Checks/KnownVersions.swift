internal import GatePolicy

/// The versions that clients of a rule can get: releases in stores or, if there are none, recommended versions.
struct KnownVersions {
    enum Verdict: Equatable {
        case open
        /// No known version passes; the payload is the key that denies the newest version, if any, and the reason.
        case closed(key: String?, String)
        /// The newest release is denied while an older one passes.
        case newestRefused(key: String, String)
    }

    /// Clients that get their updates from the same source.
    private struct Store: Hashable {
        let app: String?
        let platform: Platform
        let channel: String?
    }

    private let releases: [Platform: [Release]]
    /// The rules that recommend a version, in order; the following properties contain positions in this array.
    private let recommending: [RulesInReview.Floor]
    private var recommendingByApp: [String: [Int]] = [:]
    private var recommendingAnyApp: [Int] = []
    private let all: [Int]

    init(_ rules: RulesInReview) {
        self.releases = Dictionary(grouping: rules.definition.releases, by: \.platform)
        self.recommending = rules.floors.filter {
            $0.base == nil && $0.rule.mode == .enforce
                && ($0.rule.recommended != nil || $0.rule.recommendedBuild != nil)
        }
        self.all = Array(self.recommending.indices)
        for (place, floor) in self.recommending.enumerated() {
            guard let apps = floor.rule.match.apps, apps.allSatisfy(\.isIdentifier) else {
                self.recommendingAnyApp.append(place)
                continue
            }
            for app in Set(apps) {
                self.recommendingByApp[app.description, default: []].append(place)
            }
        }
    }

    /// Returns whether clients of a rule can update to a version that passes all rules in a group.
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
            guard !out.isEmpty else {
                return .closed(
                    key: nil,
                    "no release in 'releases' is available to all clients on \(store.name); use "
                        + "'holdUntilInStore' to wait"
                )
            }
            guard let (refusing, newest) = Self.refusal(of: out, by: group) else { continue }
            let key = Self.key(of: refusing, refusing: newest)
            let (words, advice) = Self.words(for: newest, refusedBy: refusing, at: store.name)
            // A blocked release was withdrawn on purpose; a release below a floor was not.
            let isBlocked = ["blocked", "blockedBuilds"].contains(key)
            let passes = out.contains { release in group.allSatisfy { $0.admits(release) } }
            guard isBlocked, passes else {
                return .closed(key: key, "it \(words); use 'holdUntilInStore' to wait\(advice)")
            }
            refused = .newestRefused(key: key, "\(words): clients that have it cannot update")
        }
        return refused
    }

    /// Returns the first rule that denies a build of the newest release, together with the release.
    ///
    /// For each rule, the newest release is the newest that the rule can evaluate.
    private static func refusal(
        of out: [StoreRelease],
        by group: [RuleDefinition]
    ) -> (rule: RuleDefinition, newest: StoreRelease)? {
        for rule in group {
            guard let newest = self.newest(of: out, for: rule), !rule.admits(newest) else {
                continue
            }
            return (rule, newest)
        }
        return nil
    }

    /// Returns the newest release that a rule can evaluate; `nil` if there is none.
    private static func newest(of out: [StoreRelease], for rule: RuleDefinition) -> StoreRelease? {
        let named = out.filter { $0.version != nil }.max { $0.precedes($1) }
        let unnamed = out.filter { $0.version == nil }.max { $0.precedes($1) }
        // A release without a version cannot be compared with a floor that depends on versions.
        guard !rule.floorDependsOnVersion, let unnamed else { return named }
        guard let named else { return unnamed }
        return named.hasLowerBuilds(than: unnamed) ? unnamed : named
    }

    /// Returns descriptions of the denied part of the newest release and of an additional remedy.
    private static func words(
        for newest: StoreRelease,
        refusedBy rule: RuleDefinition,
        at store: String
    ) -> (refusal: String, advice: String) {
        let place = "the newest release for \(store) in 'releases'"
        if let refused = rule.refusedPart(of: newest) {
            return (
                "denies \(refused.words), which \(refused.isSingle ? "is" : "are") in \(place)",
                ", or block the old builds for each CPU architecture in 'blockedBuilds'"
            )
        }
        guard let version = newest.version else { return ("denies \(newest.name), \(place)", "") }
        let list = newest.builds.map(\.description).joined(separator: ", ")
        return ("denies \(version)\(list.isEmpty ? "" : " (\(list))"), \(place)", "")
    }

    /// Whether any known version is available to clients of a rule.
    func knowsVersion(for rule: RuleDefinition) -> Bool {
        !self.stores(for: rule).isEmpty
            || self.recommending(for: rule.match.apps).contains {
                self.recommending[$0].rule.match.overlaps(rule.match)
            }
    }

    /// Returns the verdict on a rule without releases, based on the versions recommended to the same clients.
    private func recommendations(
        for rule: RuleDefinition,
        _ group: [RuleDefinition]
    ) -> Verdict {
        var known: (version: AppVersion?, build: BuildNumber?)?
        for place in self.recommending(for: rule.match.apps) {
            let other = self.recommending[place].rule
            // Clients of a channel, such as testers, can get versions that other clients cannot.
            guard other.match.overlaps(rule.match),
                rule.match.channels == nil || other.match.channels != nil
            else { continue }
            let (version, build) = (other.recommended, other.recommendedBuild)
            if group.allSatisfy({ $0.admits(version, build: build) }) { return .open }
            let isNewer = known.map { ($0.version ?? .zero, $0.build ?? .zero) }
                .map { $0 < (version ?? .zero, build ?? .zero) }
            if isNewer ?? true { known = (version, build) }
        }
        guard let (version, build) = known else { return .open }
        let refusing = group.first { !$0.admits(version, build: build) } ?? rule
        let isBelow =
            refusing.minimum.flatMap { floor in version.map { $0.release < floor } } ?? false
        let isBuildBelow =
            refusing.minimumBuild.flatMap { floor in build.map { $0 < floor } } ?? false
        let words = version.map { "\($0)" } ?? build.map { "build \($0)" } ?? ""
        return .closed(
            key: isBelow ? "minimum" : isBuildBelow ? "minimumBuild" : "blocked",
            "it denies \(words), the newest recommended version"
        )
    }

    /// Returns the positions of the rules that recommend a version to clients of these apps.
    private func recommending(for apps: [AppPattern]?) -> some Sequence<Int> {
        var named: [Int] = []
        var rest = self.recommendingAnyApp[...]
        if let apps, apps.allSatisfy(\.isIdentifier) {
            named = Set(apps.flatMap { self.recommendingByApp[$0.description] ?? [] }).sorted()
        } else {
            rest = self.all[...]
        }
        return [named[...], rest].lazy.joined()
    }

    /// Returns the releases that clients of a rule can get, grouped by the source of updates.
    private func stores(for rule: RuleDefinition) -> [(name: String, releases: [StoreRelease])] {
        guard !self.releases.isEmpty else { return [] }
        let platforms = rule.match.platforms ?? Array(self.releases.keys)
        let releases = Set(platforms).flatMap { rule.releases(among: self.releases[$0] ?? []) }
        let stores = Dictionary(grouping: releases) { release in
            Store(app: release.app, platform: release.platform, channel: release.channel)
        }
        let channels = rule.match.channels?.map { $0.lowercased() }
        return stores.compactMap { store, releases in
            guard self.isMeant(store, by: channels, among: stores.keys) else { return nil }
            // Builds or versions cannot be compared if no release states them.
            let isSilent =
                rule.minimumBuild != nil && releases.allSatisfy { $0.builds.isEmpty }
                || rule.floorDependsOnVersion && releases.allSatisfy { $0.version == nil }
            let name = [store.platform.name, store.channel, store.app].compactMap(\.self)
            return isSilent
                ? nil : (name.joined(separator: ", "), StoreRelease.releases(in: releases))
        }
        .sorted { $0.name < $1.name }
    }

    /// Whether clients of these channels get their updates from the store; a store without a
    /// channel serves all channels that have no store of their own.
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

    /// Returns the releases that are available to all clients.
    private func complete(_ releases: [StoreRelease], at time: Timestamp) -> [StoreRelease] {
        // A release without countries is available everywhere; a release with countries is not.
        let isEverywhere = releases.contains { !$0.namesCountries }
        let countries = Set(releases.flatMap { $0.countries(awaitedBy: nil) }).sorted()
        return releases.filter { release in
            let hold = release.namesCountries ? StoreHold(countries: countries) : nil
            return !(release.namesCountries && isEverywhere)
                && EffectiveFrom(of: release, hold).hasBegun(at: time)
        }
    }

    private static func key(of rule: RuleDefinition, refusing release: StoreRelease) -> String {
        if let minimum = rule.minimum, let version = release.version, version.release < minimum {
            return "minimum"
        }
        if let build = rule.minimumBuild, release.builds.first ?? .zero < build {
            return "minimumBuild"
        }
        if !rule.blocked.isEmpty { return "blocked" }
        return rule.blockedBuilds.isEmpty ? "minimum" : "blockedBuilds"
    }
}

extension RuleDefinition {
    /// Returns those of the given releases that clients of this rule can get.
    func releases(among releases: [Release]) -> [Release] {
        releases.filter { release in
            guard let apps = self.match.apps, let app = release.app else { return true }
            return apps.contains { $0.matches(app) }
        }
    }
}
