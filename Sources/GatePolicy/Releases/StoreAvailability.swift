/// The current and future releases in stores, for one rule.
struct StoreAvailability: Sendable {
    private let waits: Bool
    private let recommendsNewest: Bool
    private let recommendation: Recommendation
    private let releases: [ReleaseForRule]
    /// The apps that entries name, by platform, including apps whose releases the rule blocks.
    private let apps: [Platform: Set<String>]
    /// The channels that have entries of their own.
    private let channels: Set<Shop>

    /// A channel that distributes an app; a `nil` `app` matches every app.
    private struct Shop: Hashable {
        let platform: Platform
        let app: String?
        let channel: String
    }

    /// Collects the releases for a rule; returns `nil` if the rule does not depend on stores.
    init?(_ rule: RuleDefinition, _ releases: [Release]) {
        guard rule.dependsOnStores else { return nil }
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

    /// Returns the state of a client's store at a given time.
    ///
    /// If `isCertain` is false, it is uncertain whether the rule matches the client, and every
    /// release that the client could get is considered. If `version` is set, that version is
    /// blocked, and only newer releases count as updates.
    func view(
        for identity: ClientIdentity,
        isCertain: Bool,
        above version: AppVersion?,
        at now: Timestamp
    ) -> StoreView {
        let found = self.releases.filter {
            isCertain ? self.offers($0.release, to: identity) : $0.release.mayApply(identity)
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
            // A release without a version may raise the recommended build.
            newest.map { $0.precedes(other.release) } ?? true || other.release.version == nil
        }
        // Future releases that meet the recommendation are included in `newer`, because they are
        // newer than all available releases.
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

    /// Returns the lowest build of the newest release that has no version.
    ///
    /// Returns `nil` if there is no such release, or if it is older than the newest release with a
    /// version.
    private static func newestBuild(
        of out: [ReleaseForRule],
        besides newest: StoreRelease?
    ) -> BuildNumber? {
        let unnamed = out.filter { $0.release.version == nil && $0.passesBuilds }
            .max { $0.release.precedes($1.release) }?.release
        guard let unnamed else { return nil }
        let isNewest = newest.map { $0.version == nil || $0.hasLowerBuilds(than: unnamed) } ?? true
        // If there are builds for several CPU architectures, the lowest build may be the only build
        // that a device supports.
        return isNewest ? unnamed.builds.first : nil
    }

    /// Whether a release is available to a client, according to the identity that the client sends.
    private func offers(_ release: StoreRelease, to identity: ClientIdentity) -> Bool {
        guard release.platform == identity.platform.value else { return false }
        let app = identity.app.value
        if let app {
            guard release.app == nil || release.app == app else { return false }
        } else {
            // A client that sends no app is assumed to use the only app for the platform.
            guard self.apps[release.platform, default: []].count <= 1 else { return false }
        }
        return release.channel == self.channel(of: identity, release.platform)
    }

    /// Returns the channel whose entries apply to a client; `nil` if the entries for all channels
    /// apply.
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
    /// Whether the rule depends on the releases in stores.
    var dependsOnStores: Bool { self.holdUntilInStore != nil || self.recommendsStoreVersion }
}

extension StoreRelease {
    /// Whether the release may be available to a client with this identity.
    fileprivate func mayApply(_ identity: ClientIdentity) -> Bool {
        (identity.platform.value.map { $0 == self.platform } ?? true)
            && (identity.app.value.map { self.app == nil || self.app == $0 } ?? true)
    }

    /// Whether the release has a version that is higher than the given version.
    fileprivate func isNewer(than version: AppVersion) -> Bool {
        self.version.map { version < $0 } ?? false
    }

    /// Whether all builds of the release meet the recommendation of a rule.
    fileprivate func meetsRecommendation(of rule: RuleDefinition) -> Bool {
        if let recommended = rule.recommended {
            guard let version, !rule.isBelow(recommended, version, version.release) else {
                return false
            }
        }
        guard let recommendedBuild = rule.recommendedBuild else { return true }
        return self.builds.first.map { recommendedBuild <= $0 } ?? false
    }
}

/// A release, with the properties that one rule depends on.
struct ReleaseForRule: Sendable {
    let release: StoreRelease
    /// The time from which the release counts as available outside the countries that the rule
    /// waits for.
    ///
    /// This time also applies to clients in unknown countries.
    private let everywhere: EffectiveFrom
    /// The times from which the release counts as available in the countries that the rule waits
    /// for.
    private let countries: [String: EffectiveFrom]
    /// Whether all clients with the release pass the rule, regardless of their build.
    let meetsFloor: Bool
    /// Whether the release is the recommended release or a newer one.
    let meetsRecommendation: Bool
    /// Whether the rule denies none of the release's builds.
    let passesBuilds: Bool

    /// Evaluates a release for a rule.
    ///
    /// Returns `nil` if the rule blocks the release, which then cannot serve as an update.
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
        self.meetsRecommendation = release.meetsRecommendation(of: rule)
    }

    /// Returns the time from which the release counts as available to a client whose store is in a
    /// country; `nil` represents an unknown country.
    func availability(in country: String?) -> EffectiveFrom {
        country.flatMap { self.countries[$0] } ?? self.everywhere
    }
}

/// The state of a client's store at a given time, for one rule.
///
/// The type is a class, so that the stage of a rule that does not depend on stores stays small.
final class StoreView: Sendable {
    /// The time from which the client can meet the floor.
    let floor: EffectiveFrom
    /// The version and the build that the rule currently recommends.
    let recommendation: Recommendation
    /// The newest release that the client can get and that the rule does not block; `nil` if there
    /// is none.
    let newest: StoreRelease?
    /// The next time at which one of these values may change; `nil` if the values never change.
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
