/// Groups clients into classes whose members a rule set does not distinguish.
///
/// No rule distinguishes versions that lie between two adjacent versions in the rules. The same
/// applies to builds and OS versions, and to all names that no rule contains. Thousands of builds,
/// devices and languages fall into only a few classes, and the decision for one client applies to
/// its class.
///
/// A platform before the version and a build after the version are treated like separate fields. A
/// list of versions counts as one value. `fields(added:inVersion:of:)` returns the values for the
/// backend. All other clients that send a part twice, or several parts in one field, have no class
/// and are evaluated individually.
package final class ClientClasses: Sendable {
    /// The parts of the identity that a header field contains.
    private enum Subject: Sendable {
        case part(IdentityPart)
        /// The `User-Agent`, which is read only if the client sends no version.
        case userAgent
        /// More than one part.
        case several
    }

    /// The position of a value among the values that rules contain.
    fileprivate enum Place {
        case at(Int)
        /// The positions of a version and of its release.
        case version(Int, release: Int)
        case build(BuildNumber)
        case unreadable
        /// The client has to be evaluated individually.
        case alone
    }

    private let subjects: [Subject]
    /// The part that each header field contains.
    ///
    /// The element is `nil` for a field that does not contain exactly one part.
    package let parts: [IdentityPart?]
    /// The name of the header field in which the backend reads the platform; `nil` if there is
    /// none.
    package let platformField: [UInt8]?
    package let buildField: [UInt8]?
    let versionField: String?
    private let versions: VersionCuts
    private let osVersions: VersionCuts
    /// The builds that rules contain, in ascending order.
    private let builds: [BuildNumber]
    private let apps: KnownNames
    private let platforms: KnownNames
    private let channels: KnownNames
    /// Whether a client without a version may be identified by its `User-Agent`.
    private let readsUserAgents: Bool
    let platformNames: PlatformNames
    private let dependsOnStores: Bool
    /// Whether languages affect the response to a client that passes, because a store URL depends
    /// on the country in the client's languages.
    let linksByCountry: Bool

    /// Creates the classes for a rule set.
    ///
    /// Returns `nil` if clients have to be evaluated individually, because a rule has a rollout or
    /// depends on the notation of versions or builds.
    init?(_ definition: RuleSetDefinition, _ reader: IdentityReader) {
        let rules = definition.rulesWithNext
        guard rules.allSatisfy({ $0.rollout.isEmpty && !$0.dependsOnNotation }) else { return nil }
        let releases = definition.releases
        let links = definition.storeURLs
        self.versions = VersionCuts(rules.flatMap(\.cuts) + releases.compactMap(\.version))
        self.osVersions = VersionCuts(
            rules.flatMap { ($0.match.osVersions ?? []) + $0.requiresOS }.flatMap(\.bounds)
        )
        self.builds = Set(rules.flatMap(\.buildCuts) + releases.flatMap(\.builds)).sorted()
        let apps = rules.flatMap { $0.match.apps ?? [] }
        self.apps = KnownNames(
            apps.filter { $0.prefix == nil }.map(\.description) + releases.compactMap(\.app),
            prefixes: apps.compactMap(\.prefix)
        )
        let platforms = rules.flatMap { $0.match.platforms ?? [] } + releases.map(\.platform)
        self.platforms = KnownNames(platforms.map(\.name))
        let channels =
            rules.flatMap { $0.match.channels ?? [] } + links.flatMap(\.channels.keys)
            + releases.compactMap(\.channel)
        self.channels = KnownNames(channels.map(\.lowercasedASCII))
        func forwardedName(of part: IdentityPart) -> String? {
            reader.forwarded.first { $0.part == part }?.name
        }
        self.platformField = forwardedName(of: .platform).map { Array($0.utf8) }
        self.versionField = forwardedName(of: .version)
        self.buildField = forwardedName(of: .build).map { Array($0.utf8) }
        self.platformNames = reader.platforms
        self.readsUserAgents = reader.userAgentIndex != nil
        self.linksByCountry = links.contains { !$0.countries.isEmpty }
        self.dependsOnStores = rules.contains(where: \.dependsOnStores)
        self.subjects = reader.headerNames.indices.map { index in
            let parts = IdentityPart.allCases.filter { reader.indices(of: $0).contains(index) }
            let isUserAgent = index == reader.userAgentIndex
            guard let part = parts.first else { return .userAgent }
            return parts.count == 1 && !isUserAgent ? .part(part) : .several
        }
        self.parts = self.subjects.map { subject in
            if case .part(let part) = subject { part } else { nil }
        }
    }

    /// Whether the fields read so far are sufficient to determine the client's class.
    package func isComplete(_ told: Told) -> Bool {
        !self.readsUserAgents || told.has(.version)
    }

    /// Whether a header field is ignored for clients that have a class.
    ///
    /// `index` is the index of the field in `RuleSet.identityHeaderNames`.
    package func ignores(header index: Int) -> Bool {
        if case .userAgent = self.subjects[index] { true } else { false }
    }

    /// Whether the value of a header field does not affect the class of a client.
    ///
    /// This applies to a single value within the limits. `index` is the index of the field in
    /// `RuleSet.identityHeaderNames`.
    package func isIndifferent(header index: Int) -> Bool {
        guard case .part(let part) = self.subjects[index] else { return false }
        return self.isIndifferent(part)
    }

    @inline(__always)
    private func isIndifferent(_ part: IdentityPart) -> Bool {
        switch part {
        case .device: true
        case .osVersion: self.osVersions.isEmpty
        case .app: self.apps.isEmpty
        case .platform: self.platforms.isEmpty
        case .channel: self.channels.isEmpty
        case .country, .storefront: !self.dependsOnStores && !self.linksByCountry
        case .version, .build, .languages: false
        }
    }

    /// Adds the line of a header field to the key of a client's class.
    ///
    /// `index` is the index of the field in `RuleSet.identityHeaderNames`. `told` contains the
    /// parts of the previous lines, and the part of this line is added to it.
    ///
    /// - Returns: `false` if the client has to be evaluated individually.
    package func tell(
        header index: Int,
        _ value: Span<UInt8>,
        to key: inout [UInt8],
        _ told: inout Told
    ) -> Bool {
        switch self.subjects[index] {
        // The `User-Agent` is not read if the client sends a version. A client without a version
        // has no class.
        case .userAgent: return true
        case .several: return false
        case .part(.languages): return true
        case .part(let part):
            guard told.insert(part) else { return false }
            if let isTold = self.tell(plain: value, of: part, to: &key, &told) { return isTold }
            // A list contains several values, or one value twice. An empty value counts as missing.
            guard value.firstIndex(of: UInt8(ascii: ",")) == nil else {
                guard part == .version else { return false }
                // The key contains the field, because the backend does not get this line if there
                // are several version fields.
                key.append(.version, index, .list)
                return self.tell(versions: value, to: &key, &told)
            }
            let range = value.withoutBlanks(0..<value.count)
            guard !range.isEmpty else { return false }
            guard value.count <= IdentityLimits.lineLength else {
                return self.tell(.unreadable, of: part, to: &key, &told)
            }
            if part == .version {
                return self.tell(version: value.extracting(range), to: &key, &told)
            }
            if self.isIndifferent(part) {
                return part != .platform || told.agrees(onPlatform: 0)
            }
            return self.tell(
                self.place(of: part, value.extracting(range)),
                of: part,
                to: &key,
                &told
            )
        }
    }

    private func tell(
        _ place: Place,
        of part: IdentityPart,
        to key: inout [UInt8],
        _ told: inout Told
    ) -> Bool {
        var (platform, build): (Int, BuildNumber?) = (0, nil)
        switch place {
        case .alone: return false
        case .at(let number):
            platform = number
            key.append(part, number)
        case .version(let number, let release):
            key.append(part, number, .version)
            key.append(part, release, .release)
        case .build(let number):
            build = number
            key.append(part, self.builds.place(of: number))
        case .unreadable: key.append(part, 0, .unreadable)
        }
        switch part {
        case .platform: return told.agrees(onPlatform: platform)
        case .build: return told.agrees(onBuild: build)
        default: return true
        }
    }

    /// Adds a build, or a version of dotted numbers that may be followed by a build.
    ///
    /// - Returns: `nil` if the line may contain anything else, such as a list, or whitespace around
    ///   the value.
    @inline(__always)
    private func tell(
        plain value: Span<UInt8>,
        of part: IdentityPart,
        to key: inout [UInt8],
        _ told: inout Told
    ) -> Bool? {
        switch part {
        case .version:
            guard let (place, end) = self.versions.fastPlace(ofPrefix: value) else { return nil }
            if end == value.count {
                key.append(.version, place)
                return true
            }
            guard let digits = VersionPlaces.onlyBuild(in: value, after: end),
                let build = BuildNumber.read(value.extracting(digits))
            else { return nil }
            key.append(.version, place)
            return self.tell(buildWithVersion: build, to: &key, &told)
        case .build:
            guard let build = BuildNumber.read(value) else { return nil }
            key.append(.build, self.builds.place(of: build))
            return told.agrees(onBuild: build)
        case .app, .platform, .osVersion, .device, .channel, .languages, .country, .storefront:
            return nil
        }
    }

    /// Adds a version, and the platform and build in the same line, if any.
    private func tell(
        version value: Span<UInt8>,
        to key: inout [UInt8],
        _ told: inout Told
    ) -> Bool {
        let places = VersionPlaces(in: value)
        let text = value.extracting(places.version)
        guard text.isASCII, let place = try? self.place(ofVersion: text) else {
            // A platform or build next to an unparsable version is still part of the identity.
            let isAlone = places.platform == nil && places.build == nil && places.hasOneBuild
            return isAlone && self.tell(.unreadable, of: .version, to: &key, &told)
        }
        guard places.hasOneBuild, self.tell(place, of: .version, to: &key, &told) else {
            return false
        }
        if let platform = places.platform {
            let name = value.extracting(platform)
            guard !name.isEmpty, name.isASCII, StatedValue.isName(name) else { return false }
            // Any other string before a slash is not a platform.
            if self.platformNames.contains(name) {
                let number = self.platforms.isEmpty ? 0 : self.platforms.place(ofPlatform: name)
                told.insertWithVersion(.platform)
                key.append(.platform, number, .withVersion)
                guard told.agrees(onPlatform: number) else { return false }
            }
        }
        if let digits = places.build {
            // An unparsable build is not added for the backend.
            guard let build = BuildNumber.read(value.extracting(digits)) else { return false }
            return self.tell(buildWithVersion: build, to: &key, &told)
        }
        return true
    }

    /// Adds a build from the version line.
    private func tell(
        buildWithVersion build: BuildNumber,
        to key: inout [UInt8],
        _ told: inout Told
    ) -> Bool {
        told.insertWithVersion(.build)
        key.append(.build, self.builds.place(of: build), .withVersion)
        return told.agrees(onBuild: build)
    }

    /// Adds a line with several versions, or with one version and a comma.
    private func tell(
        versions line: Span<UInt8>,
        to key: inout [UInt8],
        _ told: inout Told
    ) -> Bool {
        guard let list = VersionList(line) else { return false }
        if list.isTooMuch {
            key.append(.version, 0, .unreadable)
            return true
        }
        // An unparsable value is forwarded unchanged if a header field can contain it.
        guard let first = list.first,
            list.lowest != nil || StatedValue.isName(line.extracting(first))
        else { return false }
        told.hasVersions = true
        key.append(.version, 1, .list)
        guard list.isOne, let place = try? self.place(ofVersion: line.extracting(first)) else {
            return self.tell(.unreadable, of: .version, to: &key, &told)
        }
        return self.tell(place, of: .version, to: &key, &told)
    }

    private func place(ofVersion text: Span<UInt8>) throws(VersionError) -> Place {
        if let place = self.versions.fastPlace(of: text) { return .at(place) }
        return .version(try AppVersion(text), in: self.versions)
    }

    /// Returns the position of a value that affects the class.
    private func place(of part: IdentityPart, _ value: Span<UInt8>) -> Place {
        switch part {
        case .osVersion:
            if let place = self.osVersions.fastPlace(of: value) { return .at(place) }
            guard value.isASCII, let version = StatedValue.version(value).value else {
                return .unreadable
            }
            return .version(version, in: self.osVersions)
        case .build:
            return BuildNumber.read(value).map { .build($0) } ?? .unreadable
        case .app:
            return self.place(ofName: value, among: self.apps) { $0.place(of: $1) }
        case .platform:
            return self.place(ofName: value, among: self.platforms) { $0.place(ofPlatform: $1) }
        case .channel:
            return self.place(ofName: value, among: self.channels) { $0.place(ofLowercased: $1) }
        case .country, .storefront:
            return .alone
        // Unreachable: these parts are indifferent or read elsewhere.
        case .version, .device, .languages:
            return .alone
        }
    }

    private func place(
        ofName value: Span<UInt8>,
        among names: KnownNames,
        _ find: (KnownNames, Span<UInt8>) -> Int
    ) -> Place {
        guard StatedValue.isName(value) else { return .unreadable }
        // Non-ASCII strings can be equal although their bytes differ.
        guard value.isASCII || names.isASCII && !self.dependsOnStores else { return .alone }
        return .at(find(names, value))
    }

    /// Whether all clients of a class also get the same response for a decision.
    package func shares(_ decision: Decision) -> Bool {
        switch decision.kind {
        case .allow: true
        case .recommend: !self.linksByCountry
        case .require, .maintenance: false
        }
    }
}

extension ClientClasses.Place {
    fileprivate static func version(_ version: AppVersion, in cuts: VersionCuts) -> Self {
        let places = cuts.places(of: version)
        return .version(places.version, release: places.release)
    }
}

/// The kind of a position, which is combined with the raw value of the part.
private enum Mark: UInt8 {
    case plain = 0x00
    case version = 0x10
    case release = 0x20
    case unreadable = 0x30
    /// A part that was found in the version line.
    case withVersion = 0x40
    case list = 0x50
}

extension [UInt8] {
    /// Appends the position of a part as a varint, because most positions fit into one byte.
    ///
    /// Each byte contains seven bits, and all bytes except the last have the highest bit set.
    fileprivate mutating func append(_ part: IdentityPart, _ place: Int, _ mark: Mark = .plain) {
        self.append(UInt8(truncatingIfNeeded: part.rawValue) | mark.rawValue)
        var rest = place
        while rest > 0x7F {
            self.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.append(UInt8(truncatingIfNeeded: rest))
    }
}
