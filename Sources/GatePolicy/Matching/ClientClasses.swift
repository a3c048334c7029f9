/// Tells apart only those clients that the rules of a rule set tell apart.
///
/// Between two versions that rules name, no rule sees a difference; the same holds for builds and
/// systems, and for all names that no rule names. A crowd of thousands of builds, devices and
/// languages falls into few classes, and a decision for one client is the decision for its class.
///
/// A platform in front of the version and a build behind it are cut as if they had fields of their
/// own; of a list of versions counts what it is as a whole. The backend is told what was read:
/// `fields(added:inVersion:of:)`. Whoever else says a part twice, or several parts in one field, is judged
/// on its own.
package final class ClientClasses: Sendable {
    /// The subject of a header field.
    private enum Subject: Sendable {
        case part(IdentityPart)
        /// Looked at only where no version is stated.
        case userAgent
        /// More than one part.
        case several
    }

    /// The place of a value among those that rules name.
    fileprivate enum Place {
        /// Nothing: no rule asks for it.
        case anywhere
        case at(Int)
        /// That of a version, and of the release that it is or leads to.
        case version(Int, release: Int)
        case build(BuildNumber)
        case unreadable
        /// The client has to be judged on its own.
        case alone
    }

    private let subjects: [Subject]
    /// The parts that header fields speak of; `nil` for those that do not speak of one alone.
    package let parts: [IdentityPart?]
    /// The fields in which the backend reads these parts; `nil`: in none.
    let platformField: String?
    let buildField: String?
    let versionField: String?
    private let versions: VersionCuts
    private let osVersions: VersionCuts
    /// The builds that rules name, in ascending order.
    private let builds: [BuildNumber]
    private let apps: KnownNames
    private let platforms: KnownNames
    private let channels: KnownNames
    /// Whether a client without a version may be known by its User-Agent.
    private let readsUserAgents: Bool
    let platformNames: PlatformNames
    private let looksAtStores: Bool
    /// Whether the languages make a difference to a client that passes: a link may depend on the
    /// country in them.
    let linksByCountry: Bool

    /// - Returns: `nil` if each client may be judged otherwise, because a rule is rolled out, or looks
    ///   at how versions or builds are written.
    init?(_ definition: RuleSetDefinition, _ reader: IdentityReader) {
        let rules = definition.rulesWithNext
        guard rules.allSatisfy({ $0.rollout.isEmpty && !$0.asksForm }) else { return nil }
        let releases = definition.releases
        let links = (rules.map(\.storeURL) + [definition.unidentified.storeURL]).compactMap(\.self)
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
        self.platformField = reader.forwarded.first { $0.part == .platform }?.name
        self.versionField = reader.forwarded.first { $0.part == .version }?.name
        self.buildField = reader.forwarded.first { $0.part == .build }?.name
        self.platformNames = reader.platforms
        self.readsUserAgents = reader.userAgentIndex != nil
        self.linksByCountry = links.contains { !$0.countries.isEmpty }
        self.looksAtStores = rules.contains(where: \.looksAtStores)
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

    /// The parts of a client that have been told of its class.
    package struct Told: Sendable {
        /// One bit for each part that a line of its own states.
        private var lines = 0
        /// One bit for each part that the version line states besides the version.
        private var withVersion = 0
        /// Whether the version line is a list, and one that is read.
        fileprivate(set) var hasVersions = false
        /// The platform that was said last, as its place among those that rules name, and the
        /// build.
        private var platform = 0
        private var build: BuildNumber?

        package init() {}

        /// Whether the backend is told of the client what others of its class do not say.
        package var isAdded: Bool { self.hasVersions || self.withVersion & ~self.lines != 0 }

        fileprivate func has(_ part: IdentityPart) -> Bool { self.lines & part.bit != 0 }

        func isAdded(_ part: IdentityPart) -> Bool {
            self.withVersion & ~self.lines & part.bit != 0
        }

        fileprivate mutating func insert(_ part: IdentityPart) -> Bool {
            defer { self.lines |= part.bit }
            return self.lines & part.bit == 0
        }

        fileprivate mutating func insertWithVersion(_ part: IdentityPart) {
            self.withVersion |= part.bit
        }

        /// Whether a platform, just inserted, is certainly the only one that was said; 0: rules name
        /// no such platform, or it cannot be read.
        fileprivate mutating func agrees(onPlatform place: Int) -> Bool {
            defer { self.platform = place }
            return !self.isTwice(.platform) || place != 0 && place == self.platform
        }

        /// The same of a build; `nil`: it cannot be read.
        fileprivate mutating func agrees(onBuild number: BuildNumber?) -> Bool {
            defer { self.build = number }
            return !self.isTwice(.build) || number != nil && number == self.build
        }

        private func isTwice(_ part: IdentityPart) -> Bool {
            self.lines & self.withVersion & part.bit != 0
        }
    }

    /// Whether lines that have told all this are enough to know a client by.
    package func isComplete(_ told: Told) -> Bool {
        !self.readsUserAgents || told.has(.version)
    }

    /// Tells the header fields that are not looked at where a client is of a class.
    ///
    /// - Parameter index: The index of its name in `RuleSet.identityHeaderNames`.
    /// - Returns: Whether it is one of them.
    package func ignores(header index: Int) -> Bool {
        if case .userAgent = self.subjects[index] { true } else { false }
    }

    /// Tells the header fields whose value makes no difference to a client of a class.
    ///
    /// - Parameter index: The index of its name in `RuleSet.identityHeaderNames`.
    /// - Returns: Whether it is one of them, as long as it says one thing: no list, and not more than is read.
    package func isIndifferent(header index: Int) -> Bool {
        guard case .part(let part) = self.subjects[index] else { return false }
        switch part {
        case .device: return true
        case .osVersion: return self.osVersions.isEmpty
        case .app: return self.apps.isEmpty
        case .platform: return self.platforms.isEmpty
        case .channel: return self.channels.isEmpty
        case .country, .storefront: return !self.looksAtStores && !self.linksByCountry
        case .version, .build, .languages: return false
        }
    }

    /// Adds what a header line tells of the class of its client to a key.
    ///
    /// - Parameters:
    ///   - index: The index of its name in `RuleSet.identityHeaderNames`.
    ///   - value: The value of the line.
    ///   - key: The bytes that stand for the class.
    ///   - told: What the lines before have told.
    /// - Returns: `false` if the client has to be judged on its own.
    package func tell(
        header index: Int,
        _ value: Span<UInt8>,
        to key: inout [UInt8],
        _ told: inout Told
    ) -> Bool {
        switch self.subjects[index] {
        // It is not looked at if a version is stated, and else there is no class.
        case .userAgent: return true
        case .several: return false
        case .part(.languages): return true
        case .part(let part):
            guard told.insert(part) else { return false }
            // A list says several things, or one of them twice; a value of nothing is none.
            guard value.firstIndex(of: UInt8(ascii: ",")) == nil else {
                guard part == .version else { return false }
                // Of several fields for the version, the backend gets that one no more.
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
        case .anywhere: break
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

    /// Tells of a version, and of the platform and the build that may stand beside it.
    private func tell(
        version value: Span<UInt8>,
        to key: inout [UInt8],
        _ told: inout Told
    ) -> Bool {
        if let place = self.versions.fastPlace(of: value) {
            key.append(.version, place)
            return true
        }
        let places = VersionPlaces(in: value)
        let text = value.extracting(places.version)
        guard text.isASCII, let place = try? self.place(ofVersion: text) else {
            // A platform and a build are stated all the same.
            let isAlone = places.platform == nil && places.build == nil && places.hasOneBuild
            return isAlone && self.tell(.unreadable, of: .version, to: &key, &told)
        }
        guard places.hasOneBuild, self.tell(place, of: .version, to: &key, &told) else {
            return false
        }
        if let platform = places.platform {
            let name = value.extracting(platform)
            guard !name.isEmpty, name.isASCII, StatedValue.isName(name) else { return false }
            // Any other text before a slash states nothing.
            if self.platformNames.contains(name) {
                let number = self.platforms.isEmpty ? 0 : self.platforms.place(ofPlatform: name)
                told.insertWithVersion(.platform)
                key.append(.platform, number, .withVersion)
                guard told.agrees(onPlatform: number) else { return false }
            }
        }
        if let digits = places.build {
            // One that cannot be read is not added to what the backend gets.
            guard let build = BuildNumber.read(value.extracting(digits)) else { return false }
            told.insertWithVersion(.build)
            key.append(.build, self.builds.place(of: build), .withVersion)
            guard told.agrees(onBuild: build) else { return false }
        }
        return true
    }

    /// Tells of a line with more than one version, or with one and a comma.
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
        // A text that is no version is told as it stands, if it can be.
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

    private func place(of part: IdentityPart, _ value: Span<UInt8>) -> Place {
        switch part {
        case .osVersion:
            guard !self.osVersions.isEmpty else { return .anywhere }
            if let place = self.osVersions.fastPlace(of: value) { return .at(place) }
            guard value.isASCII, let version = StatedValue.version(value).value else {
                return .unreadable
            }
            return .version(version, in: self.osVersions)
        case .build:
            return BuildNumber.read(value).map { .build($0) } ?? .unreadable
        case .app:
            guard !self.apps.isEmpty else { return .anywhere }
            return self.place(ofName: value, among: self.apps) { $0.place(of: $1) }
        case .platform:
            guard !self.platforms.isEmpty else { return .anywhere }
            return self.place(ofName: value, among: self.platforms) { $0.place(ofPlatform: $1) }
        case .channel:
            guard !self.channels.isEmpty else { return .anywhere }
            return self.place(ofName: value, among: self.channels) { $0.place(ofLowercased: $1) }
        case .country, .storefront:
            return self.looksAtStores || self.linksByCountry ? .alone : .anywhere
        case .version, .device, .languages:
            return .anywhere
        }
    }

    private func place(
        ofName value: Span<UInt8>,
        among names: KnownNames,
        _ find: (KnownNames, Span<UInt8>) -> Int
    ) -> Place {
        guard StatedValue.isName(value) else { return .unreadable }
        // Texts can be equal that have other bytes.
        guard value.isASCII || names.isASCII && !self.looksAtStores else { return .alone }
        return .at(find(names, value))
    }

    /// Whether all clients of a class are told the same, too, by this decision on one of them.
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

extension IdentityPart {
    fileprivate var bit: Int { 1 << self.rawValue }
}

extension Span<UInt8> {
    fileprivate var isASCII: Bool { self.allSatisfy { $0 < 0x80 } }
}

/// Tells the kinds of places from each other, behind the numbers of the parts.
private enum Mark: UInt8 {
    case plain = 0x00
    case version = 0x10
    case release = 0x20
    case unreadable = 0x30
    /// Stated by the version line.
    case withVersion = 0x40
    case list = 0x50
}

extension [UInt8] {
    /// Appends the place of a part.
    fileprivate mutating func append(_ part: IdentityPart, _ place: Int, _ mark: Mark = .plain) {
        self.append(UInt8(truncatingIfNeeded: part.rawValue) | mark.rawValue)
        for shift in [0, 8, 16, 24] { self.append(UInt8(truncatingIfNeeded: place >> shift)) }
    }
}
