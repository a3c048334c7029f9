internal import GatePolicy
internal import GateRules

/// The sightings of an app in each country: every version, since when, never taken back.
struct AppStoreSightings: Equatable {
    /// A version that a country has.
    struct Sighting: Equatable {
        var version: AppVersion
        /// When the version came out.
        var since: Timestamp
        var link: String?
        /// The lowest version of the system that it runs on.
        var minimumOS: AppVersion?
    }

    /// How many versions of a country are remembered.
    private static let remembered = 8
    /// The mark before the version of the system, so that it is no link.
    private static let systemMark = "os="

    /// By country, the newest first.
    private var countries: [String: [Sighting]] = [:]

    init() {}

    /// The remembered sightings: for each country its versions, their times, systems and links.
    init(memory: [String: String]) {
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

    /// Adds what a country has now, unless it had something newer before: then a cache answered.
    mutating func add(_ seen: Sighting, in country: String) {
        let known = self.countries[country, default: []]
        guard let newest = known.first, newest.version >= seen.version else {
            self.countries[country] = Array(([seen] + known).prefix(Self.remembered))
            return
        }
        // The same version again, at a date that a store may have corrected.
        if newest.version == seen.version { self.countries[country]?[0] = seen }
    }

    /// Takes over what a country was seen to have by a reader that did not compare records with the
    /// question: only versions that the country has certainly had, since it has a newer one now.
    mutating func adopt(_ remembered: Self, in country: String, upTo seen: Sighting) {
        self.countries[country] = remembered.countries[country]?.filter {
            $0.version <= seen.version
        }
    }

    /// One release fact for each version, with the countries that have it or a newer one among all
    /// that are asked.
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
            // A country with a newer one has had the way out at least since that one came.
            sightings.filter { $0.version >= version }.map(\.since).min()
        }
        let seen = stores.sorted { $0.key < $1.key }
            .compactMap { $0.value.first { $0.version == version } }
        let countries = since.sorted { $0.key < $1.key }
            .map { JSONValue.Member($0.key, .text("\($0.value)")) }
        var members = store.members
        members.append(.init("version", .text("\(version)")))
        members.append(.init("countries", .object(countries)))
        // Without them nobody could tell a country that is still to come from one that is never
        // asked, and a hold would begin in the first.
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
    /// Whether there is a release of the same version, however it was written.
    fileprivate func hasRelease(_ version: AppVersion) -> Bool {
        self.releases.contains { release in
            (try? release.version(at: "version")).flatMap(\.self) == version
        }
    }
}
