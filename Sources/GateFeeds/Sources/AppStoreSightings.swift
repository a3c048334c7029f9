internal import GatePolicy
internal import GateRules

/// The newest versions of an app that were seen in each country, with their times.
struct AppStoreSightings: Equatable {
    /// A version in a country.
    struct Sighting: Equatable {
        var version: AppVersion
        /// The version's release time.
        var since: Timestamp
        var link: String?
        /// The minimum OS version.
        var minimumOS: AppVersion?
    }

    /// The maximum number of stored versions per country.
    private static let remembered = 8
    /// The prefix that distinguishes an OS version from a store URL.
    private static let systemMark = "os="

    /// The sightings by country, newest first.
    private var countries: [String: [Sighting]] = [:]

    /// Decodes stored sightings: the versions of each country with their times, OS versions and
    /// store URLs.
    init(memory: [String: String] = [:]) {
        for (country, text) in memory {
            let sightings = text.split(separator: "\n").compactMap { Self.sighting(in: $0) }
            if !sightings.isEmpty { self.countries[country] = sightings }
        }
    }

    private static func sighting(in line: Substring) -> Sighting? {
        var parts = line.split(separator: " ")
        guard parts.count >= 2, let version = try? AppVersion(parsing: String(parts[0])),
            let since = try? Timestamp(parsing: String(parts[1]))
        else { return nil }
        parts.removeFirst(2)
        let systems = parts.filter { $0.hasPrefix(Self.systemMark) }
        let links = parts.filter { !$0.hasPrefix(Self.systemMark) }
        return Sighting(
            version: version,
            since: since,
            link: links.first.map(String.init),
            minimumOS: systems.first.flatMap {
                try? AppVersion(parsing: String($0.dropFirst(Self.systemMark.count)))
            }
        )
    }

    private static func line(_ seen: Sighting) -> String {
        let system = seen.minimumOS.map { "\(Self.systemMark)\($0)" }
        let parts = ["\(seen.version)", "\(seen.since)", system, seen.link]
        return parts.compactMap(\.self).joined(separator: " ")
    }

    var isEmpty: Bool { self.countries.isEmpty }

    var memory: [String: String] {
        self.countries.mapValues { sightings in
            sightings.map(Self.line).joined(separator: "\n")
        }
    }

    /// Adds the current version of a country; an older version is ignored, because it can only come
    /// from a cache.
    mutating func add(_ seen: Sighting, in country: String) {
        let known = self.countries[country, default: []]
        guard let newest = known.first, newest.version >= seen.version else {
            self.countries[country] = Array(([seen] + known).prefix(Self.remembered))
            return
        }
        // The version is the same, but the store may have corrected its release date.
        if newest.version == seen.version { self.countries[country]?[0] = seen }
    }

    /// Adopts sightings stored by older gates, which did not compare records with the request.
    ///
    /// Only versions up to the current one are adopted, because only these are certain to have been
    /// available in the country.
    mutating func adopt(_ remembered: Self, in country: String, upTo seen: Sighting) {
        self.countries[country] = remembered.countries[country]?.filter {
            $0.version <= seen.version
        }
    }

    /// Creates a release fact for each version, with the requested countries that have this version
    /// or a newer one.
    func document(for store: StoreKeys, in asked: [String]) -> FeedDocument {
        var document = FeedDocument()
        let stores = self.countries.filter { asked.contains($0.key) }
        let versions = Set(stores.values.flatMap { $0.map { "\($0.version)" } })
            .compactMap { try? AppVersion(parsing: $0) }
        for version in versions.sorted(by: >) where !document.hasRelease(version) {
            document.releases.append(Self.release(version, in: stores, among: asked, store))
        }
        return document
    }

    private static func release(
        _ version: AppVersion,
        in stores: [String: [Sighting]],
        among asked: [String],
        _ store: StoreKeys
    ) -> JSONValue {
        let since = stores.compactMapValues { sightings in
            // A country with a newer version has had an update available since the release of the
            // newer version at the latest.
            sightings.filter { $0.version >= version }.map(\.since).min()
        }
        let seen = stores.sorted { $0.key < $1.key }
            .compactMap { $0.value.first { $0.version == version } }
        let countries = since.sorted { $0.key < $1.key }
            .map { JSONValue.Member($0.key, .text("\($0.value)")) }
        var members = store.members
        members.append(.init("version", .text("\(version)")))
        members.append(.init("countries", .object(countries)))
        // Countries without the release must be distinguishable from countries that are never
        // requested. Otherwise, a held rule would take effect in countries that do not have the
        // release yet.
        members.append(.init("storeCountries", .list(asked.map { .text($0) })))
        if let link = seen.compactMap(\.link).first {
            members.append(.init("storeUrl", .text(link)))
        }
        if let system = seen.compactMap(\.minimumOS).first {
            members.append(.init("minimumOS", .text("\(system)")))
        }
        return .object(members)
    }
}

extension FeedDocument {
    /// Returns whether the document has a release of an equal version.
    fileprivate func hasRelease(_ version: AppVersion) -> Bool {
        self.releases.contains { release in
            (try? release.version(at: "version")).flatMap(\.self) == version
        }
    }
}
