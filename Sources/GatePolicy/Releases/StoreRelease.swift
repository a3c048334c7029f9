/// One version of an app at one store, with every fact that states it.
///
/// A version may have several builds, one for each kind of processor, and facts of several tracks
/// and countries. Clients that have the version have any of the builds: what holds for the
/// version holds for all of them.
package struct StoreRelease: Sendable {
    package let app: String?
    package let platform: Platform
    package let channel: String?
    /// The version; `nil` if no fact states one for certain.
    package let version: AppVersion?
    /// All builds, the lowest first; empty if no fact states one.
    package private(set) var builds: [BuildNumber]
    /// The facts, in their order.
    package private(set) var facts: [Release]

    private init(_ fact: Release) {
        self.app = fact.app
        self.platform = fact.platform
        self.channel = fact.channel
        self.version = fact.version
        self.builds = fact.builds
        self.facts = [fact]
    }

    /// The releases that facts state, in the order of the facts.
    ///
    /// Facts of one version for the same app, platform and channel are one release. A fact without
    /// a version is a release of its own.
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

    /// Its version, or else its builds, in words.
    package var name: String { self.version.map { "\($0)" } ?? Self.words(for: self.builds) }

    /// Builds in words: `build 93`, `builds 1010, 2010`.
    package static func words(for builds: [BuildNumber]) -> String {
        let list = builds.map(\.description).joined(separator: ", ")
        return builds.count == 1 ? "build \(list)" : "builds \(list)"
    }

    /// Whether it is restricted to countries.
    package var namesCountries: Bool { self.facts.contains { $0.countries != nil } }
    package var storeURL: String? { self.facts.lazy.compactMap(\.storeURL).first }

    /// The countries in which everybody waits for the release; see `Release.countries(awaitedBy:)`.
    package func countries(awaitedBy hold: StoreHold?) -> [String] {
        if let countries = hold?.countries, !countries.isEmpty { return countries }
        return Set(self.facts.flatMap { $0.countries(awaitedBy: nil) }).sorted()
    }

    /// Whether the other one is newer: by the version, and then by the highest build.
    ///
    /// Releases without a version come first, in the order of their builds: nothing says which
    /// versions they are newer than.
    package func precedes(_ other: StoreRelease) -> Bool {
        switch (self.version, other.version) {
        case (let own?, let others?) where own != others: own < others
        case (.some, .some), (nil, nil): self.hasLowerBuilds(than: other)
        case (nil, .some): true
        case (.some, nil): false
        }
    }

    /// Whether the highest build is lower than that of another release; false if one states none.
    package func hasLowerBuilds(than other: StoreRelease) -> Bool {
        (self.builds.last ?? .zero) < (other.builds.last ?? .zero)
    }
}
