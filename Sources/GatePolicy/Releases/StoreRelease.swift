/// One version of an app in one store, with all entries for that version.
///
/// A version may have several builds, one for each CPU architecture, and entries for several tracks
/// and countries. Clients with the version may have any of these builds, so conditions on the
/// version have to apply to all builds.
package struct StoreRelease: Sendable {
    package let app: String?
    package let platform: Platform
    package let channel: String?
    /// The version; `nil` if no entry reliably states a version.
    package let version: AppVersion?
    /// All builds in ascending order; empty if no entry states a build.
    package private(set) var builds: [BuildNumber]
    /// The entries, in their original order.
    package private(set) var facts: [Release]

    private init(_ fact: Release) {
        self.app = fact.app
        self.platform = fact.platform
        self.channel = fact.channel
        self.version = fact.version
        self.builds = fact.builds
        self.facts = [fact]
    }

    /// Returns the releases that the entries describe, in the order of the entries.
    ///
    /// Entries with the same version, app, platform and channel form one release. An entry without
    /// a version is a separate release.
    package static func releases(in facts: [Release]) -> [StoreRelease] {
        var releases: [StoreRelease] = []
        var places: [Key: Int] = [:]
        for fact in facts {
            let key = fact.version.map { Key($0, of: fact) }
            if let place = key.flatMap({ places[$0] }) {
                releases[place].add(fact)
                continue
            }
            if let key { places[key] = releases.count }
            releases.append(StoreRelease(fact))
        }
        return releases
    }

    private struct Key: Hashable {
        let app: String?
        let platform: Platform
        let channel: String?
        let version: AppVersion

        init(_ version: AppVersion, of fact: Release) {
            self.app = fact.app
            self.platform = fact.platform
            self.channel = fact.channel
            self.version = version
        }
    }

    private mutating func add(_ fact: Release) {
        self.facts.append(fact)
        self.builds = Set(self.builds + fact.builds).sorted()
    }

    /// The version as a string, or else the builds.
    package var name: String { self.version.map { "\($0)" } ?? Self.words(for: self.builds) }

    /// Returns a list of builds as a string, such as `build 93` or `builds 1010, 2010`.
    package static func words(for builds: [BuildNumber]) -> String {
        let list = builds.map(\.description).joined(separator: ", ")
        return builds.count == 1 ? "build \(list)" : "builds \(list)"
    }

    /// Whether the release is restricted to certain countries.
    package var namesCountries: Bool { self.facts.contains { $0.countries != nil } }
    package var storeURL: String? { self.facts.lazy.compactMap(\.storeURL).first }

    /// Returns the countries in which the release has to be available.
    ///
    /// See `Release.countries(awaitedBy:)`.
    package func countries(awaitedBy hold: StoreHold?) -> [String] {
        if let countries = hold?.countries, !countries.isEmpty { return countries }
        return Set(self.facts.flatMap { $0.countries(awaitedBy: nil) }).sorted()
    }

    /// Whether another release is newer, by version and then by the highest build.
    ///
    /// Releases without a version sort first, in the order of their builds, because they cannot be
    /// compared with versions.
    package func precedes(_ other: StoreRelease) -> Bool {
        switch (self.version, other.version) {
        case (let own?, let others?) where own != others: own < others
        case (.some, .some), (nil, nil): self.hasLowerBuilds(than: other)
        case (nil, .some): true
        case (.some, nil): false
        }
    }

    /// Whether the highest build is lower than the highest build of another release.
    ///
    /// A release without builds counts as build 0.
    package func hasLowerBuilds(than other: StoreRelease) -> Bool {
        (self.builds.last ?? .zero) < (other.builds.last ?? .zero)
    }
}
