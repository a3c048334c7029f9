/// The releases that stores have and will have, as one rule looks at them.
struct StoreAvailability: Sendable {
    private let waits: Bool
    private let recommendsNewest: Bool
    private let recommendation: Recommendation
    private let releases: [ReleaseForRule]
    /// The apps that the facts name, by platform, whether the rule blocks a release or not.
    private let apps: [Platform: Set<String>]
    /// The channels that have facts of their own.
    private let channels: Set<Shop>

    /// A place where an app is distributed; its `app` is `nil` for the only one.
    private struct Shop: Hashable {
        let platform: Platform
        let app: String?
        let channel: String
    }

    /// The releases as a rule looks at them; `nil` for a rule that does not.
    init?(_ rule: RuleDefinition, _ releases: [Release]) {
        guard rule.looksAtStores else { return nil }
        self.waits = rule.holdUntilInStore != nil
        self.recommendsNewest = rule.recommendsStoreVersion
        self.recommendation = rule.recommendation
        self.releases = StoreRelease.releases(in: releases).compactMap { ReleaseForRule($0, rule) }
        var apps: [Platform: Set<String>] = [:]
        var channels: Set<Shop> = []
        for release in releases {
            if let app = release.app { apps[release.platform, default: []].insert(app) }
            if let channel = release.channel {
                let shop = Shop(platform: release.platform, app: release.app, channel: channel)
                channels.insert(shop)
            }
        }
        self.apps = apps
        self.channels = channels
    }

    /// The releases that a client finds in its store at a time.
    ///
    /// Of a client that is not known to be one of those that the rule is for, `isCertain` is false:
    /// whatever it could find counts. A floor that it has to leave upwards, because its version is
    /// blocked, is not met by an older release.
    func view(
        for identity: ClientIdentity,
        isCertain: Bool,
        above version: AppVersion?,
        at now: Timestamp
    ) -> StoreView {
        let found = self.releases.filter {
            isCertain ? self.offers($0.release, to: identity) : $0.release.isConceivable(identity)
        }
        let candidates = found.filter { candidate in
            candidate.meetsFloor && version.map { candidate.release.isNewer(than: $0) } ?? true
        }
        let country = identity.storeCountry
        func begin(of candidates: [ReleaseForRule]) -> EffectiveFrom {
            self.waits ? candidates.map { $0.availability(in: country) }.min() ?? .never : .always
        }
        let floor = begin(of: candidates)
        let recommendation = begin(of: found.filter(\.meetsRecommendation))
        let out = found.filter { $0.availability(in: country).hasBegun(at: now) }
        let newest = out.max { $0.release.precedes($1.release) }?.release
        let newer = found.filter { other in
            // One without a version may raise the recommended build.
            newest.map { $0.precedes(other.release) } ?? true || other.release.version == nil
        }
        // A release that meets the recommendation first is newer than all there is, too.
        let edges = [floor.date] + newer.map { $0.availability(in: country).date }
        var recommended = recommendation.hasBegun(at: now) ? self.recommendation : .none
        if self.recommendsNewest {
            recommended.version = newest?.version
            let builds = [recommended.build, Self.newestBuild(of: out, besides: newest)]
            recommended.build = builds.compactMap(\.self).max()
        }
        return StoreView(
            floor: floor,
            recommendation: recommended,
            newest: newest,
            nextChange: edges.compactMap { $0 }.filter { $0 > now }.min()
        )
    }

    /// The build that every client can get of the newest release without a version; `nil` if there is
    /// none, or if it is older than the newest release that has one.
    private static func newestBuild(
        of out: [ReleaseForRule],
        besides newest: StoreRelease?
    ) -> BuildNumber? {
        let unnamed = out.filter { $0.release.version == nil && $0.passesBuilds }
            .max { $0.release.precedes($1.release) }?.release
        guard let unnamed else { return nil }
        let isNewest = newest.map { $0.version == nil || $0.hasLowerBuilds(than: unnamed) } ?? true
        // Of builds for several processors, a device may have no other than the lowest.
        return isNewest ? unnamed.builds.first : nil
    }

    /// Whether a release is for a client, as far as it says who it is.
    private func offers(_ release: StoreRelease, to identity: ClientIdentity) -> Bool {
        guard release.platform == identity.platform.value else { return false }
        let app = identity.app.value
        if let app {
            guard release.app == nil || release.app == app else { return false }
        } else {
            // A client that names no app is of the only one there is.
            guard self.apps[release.platform, default: []].count <= 1 else { return false }
        }
        return release.channel == self.channel(of: identity, release.platform)
    }

    /// The channel whose facts are for a client; `nil` for those of every channel.
    private func channel(of identity: ClientIdentity, _ platform: Platform) -> String? {
        guard let channel = identity.channel.value else { return nil }
        let apps: [String?] =
            if let app = identity.app.value { [nil, app] } else {
                [nil] + self.apps[platform, default: []].map { $0 }
            }
        let hasFacts = apps.contains { app in
            self.channels.contains(Shop(platform: platform, app: app, channel: channel))
        }
        return hasFacts ? channel : nil
    }
}

extension RuleDefinition {
    /// Whether it goes by what stores have.
    var looksAtStores: Bool { self.holdUntilInStore != nil || self.recommendsStoreVersion }
}

extension StoreRelease {
    /// Whether nothing that a client says keeps the release from being for it.
    fileprivate func isConceivable(_ identity: ClientIdentity) -> Bool {
        (identity.platform.value.map { $0 == self.platform } ?? true)
            && (identity.app.value.map { self.app == nil || self.app == $0 } ?? true)
    }

    /// Whether it has a version, and a higher one.
    fileprivate func isNewer(than version: AppVersion) -> Bool {
        self.version.map { version < $0 } ?? false
    }

    /// Whether the release is at least what a rule recommends, whichever of its builds a client has.
    fileprivate func meets(
        _ recommended: AppVersion?,
        _ recommendedBuild: BuildNumber?,
        of rule: RuleDefinition
    ) -> Bool {
        if let recommended {
            guard let version, !rule.isBelow(recommended, version, version.release) else {
                return false
            }
        }
        guard let recommendedBuild else { return true }
        return self.builds.first.map { recommendedBuild <= $0 } ?? false
    }
}

/// A release as one rule looks at it.
struct ReleaseForRule: Sendable {
    let release: StoreRelease
    /// From when on the rule counts on it for a client of no known country, or of one that it does
    /// not wait for.
    private let everywhere: EffectiveFrom
    /// The same for the clients of each country that it waits for.
    private let countries: [String: EffectiveFrom]
    /// Whether each client that has it passes the rule, whichever of its builds it has.
    let meetsFloor: Bool
    /// Whether it is what the rule recommends, or newer.
    let meetsRecommendation: Bool
    /// Whether the rule refuses none of its builds.
    let passesBuilds: Bool

    /// Looks at a release as the rule does; `nil` for one that the rule blocks, which helps nobody.
    init?(_ release: StoreRelease, _ rule: RuleDefinition) {
        if let version = release.version, rule.blockedRange(of: version, version.release) != nil {
            return nil
        }
        self.release = release
        let hold = rule.holdUntilInStore
        self.everywhere = EffectiveFrom(of: release, hold)
        let awaited = Set(release.namesCountries ? release.countries(awaitedBy: hold) : [])
        self.countries = Dictionary(
            uniqueKeysWithValues: awaited.map { ($0, EffectiveFrom(of: release, hold, in: $0)) }
        )
        self.meetsFloor = rule.admits(release)
        self.passesBuilds = rule.refusedBuilds(of: release).isEmpty
        self.meetsRecommendation = release.meets(rule.recommended, rule.recommendedBuild, of: rule)
    }

    /// From when on the rule counts on it for a client whose store is in this country; `nil` if
    /// that is not known.
    func availability(in country: String?) -> EffectiveFrom {
        country.flatMap { self.countries[$0] } ?? self.everywhere
    }
}

/// The content of one client's store at one second, as far as a rule looks at it.
///
/// A class, so that the stage of a rule that does not look at a store stays small.
final class StoreView: Sendable {
    /// From when on the floor can be asked of the client.
    let floor: EffectiveFrom
    /// The version and the build that the rule recommends now.
    let recommendation: Recommendation
    /// The newest release that the client can get and the rule does not block.
    let newest: StoreRelease?
    /// The next second at which any of this may change; `nil`: never.
    let nextChange: Timestamp?

    init(
        floor: EffectiveFrom,
        recommendation: Recommendation,
        newest: StoreRelease?,
        nextChange: Timestamp?
    ) {
        self.floor = floor
        self.recommendation = recommendation
        self.newest = newest
        self.nextChange = nextChange
    }
}
