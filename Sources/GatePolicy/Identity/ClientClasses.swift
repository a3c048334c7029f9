/// Tells apart only those clients that the rules of a rule set tell apart.
///
/// Between two versions that rules name, no rule sees a difference; the same holds for builds and
/// systems, and for all names that no rule names. A crowd of thousands of builds, devices and
/// languages falls into few classes, and a decision for one client is the decision for its class.
///
/// Whoever says a part twice, or several parts in one field, is judged on its own: the backend is
/// told of it what was read.
package struct ClientClasses: Sendable {
    /// The subject of a header field.
    private enum Subject: Sendable {
        case part(IdentityPart)
        /// Looked at only where no version is stated.
        case userAgent
        /// More than one part.
        case several
    }

    /// The place of a value among those that rules name.
    private enum Place {
        /// Nothing: no rule asks for it.
        case anywhere
        case at(Int)
        /// That of a version, and of the release that it is or leads to.
        case version(Int, release: Int)
        case unreadable
        /// The client has to be judged on its own.
        case alone
    }

    private let subjects: [Subject]
    private let versions: VersionCuts
    private let osVersions: VersionCuts
    /// The builds that rules name, in ascending order.
    private let builds: [UInt64]
    private let apps: KnownNames
    private let platforms: KnownNames
    private let channels: KnownNames
    /// Whether a client without a version may be known by its User-Agent.
    private let readsUserAgents: Bool
    private let looksAtStores: Bool
    /// Whether the languages make a difference to a client that passes: a link may depend on the
    /// country in them.
    let linksByCountry: Bool

    /// - Returns: `nil` if each client may be judged otherwise, because a rule is rolled out.
    init?(_ definition: RuleSetDefinition, _ reader: IdentityReader) {
        let rules = definition.rulesWithNext
        guard rules.allSatisfy(\.rollout.isEmpty) else { return nil }
        let releases = definition.releases
        let links = (rules.map(\.storeURL) + [definition.unidentified.storeURL]).compactMap(\.self)
        self.versions = VersionCuts(rules.flatMap(\.cuts) + releases.map(\.version))
        self.osVersions = VersionCuts(
            rules.flatMap { ($0.match.osVersions ?? []) + $0.requiresOS }.flatMap(\.bounds)
        )
        self.builds = Set(rules.compactMap(\.minimumBuild) + releases.compactMap(\.build)).sorted()
        self.apps = KnownNames(rules.flatMap { $0.match.apps ?? [] } + releases.compactMap(\.app))
        let platforms = rules.flatMap { $0.match.platforms ?? [] } + releases.map(\.platform)
        self.platforms = KnownNames(platforms.map(\.name))
        let channels =
            rules.flatMap { $0.match.channels ?? [] } + links.flatMap(\.channels.keys)
            + releases.compactMap(\.channel)
        self.channels = KnownNames(channels.map(\.lowercasedASCII))
        self.readsUserAgents = reader.userAgentIndex != nil
        self.linksByCountry = links.contains { !$0.countries.isEmpty }
        self.looksAtStores = rules.contains(where: \.looksAtStores)
        self.subjects = reader.headerNames.indices.map { index in
            let parts = IdentityPart.allCases.filter { reader.indices(of: $0).contains(index) }
            let isUserAgent = index == reader.userAgentIndex
            guard let part = parts.first else { return .userAgent }
            return parts.count == 1 && !isUserAgent ? .part(part) : .several
        }
    }

    /// The parts of a client that have been told of its class.
    package struct Told: Sendable {
        fileprivate var parts = 0

        package init() {}

        fileprivate mutating func insert(_ part: IdentityPart) -> Bool {
            let bit = 1 << part.rawValue
            defer { self.parts |= bit }
            return self.parts & bit == 0
        }
    }

    /// Whether lines that have told all this are enough to know a client by.
    package func isComplete(_ told: Told) -> Bool {
        !self.readsUserAgents || told.parts & 1 << IdentityPart.version.rawValue != 0
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
            switch self.place(of: part, value) {
            case .anywhere: break
            case .alone: return false
            case .at(let number): key.append(part, number)
            case .version(let number, let release):
                key.append(part, number, 0x10)
                key.append(part, release, 0x20)
            case .unreadable: key.append(part, 0, 0x30)
            }
            return true
        }
    }

    private func place(of part: IdentityPart, _ line: Span<UInt8>) -> Place {
        // A list says several things, or one of them twice; a value of nothing is none.
        guard line.firstIndex(of: UInt8(ascii: ",")) == nil else { return .alone }
        let range = line.withoutBlanks(0..<line.count)
        guard !range.isEmpty else { return .alone }
        guard line.count <= IdentityLimits.lineLength else { return .unreadable }
        let value = line.extracting(range)
        switch part {
        case .version:
            return self.versions.fastPlace(of: value) ?? self.place(ofVersion: value)
        case .osVersion:
            guard !self.osVersions.isEmpty else { return .anywhere }
            if let place = self.osVersions.fastPlace(of: value) { return place }
            guard value.isASCII, let version = StatedValue.version(value).value else {
                return .unreadable
            }
            return self.osVersions.place(of: version)
        case .build:
            guard let build = DecimalNumber(digits: value)?.integer else { return .unreadable }
            return .at(self.builds.place(of: build))
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
        case .device, .languages:
            return .anywhere
        }
    }

    private func place(ofVersion value: Span<UInt8>) -> Place {
        // A platform stands before it, in any letters.
        guard value.firstIndex(of: UInt8(ascii: "/")) == nil else { return .alone }
        guard value.isASCII else { return .unreadable }
        let statement = VersionStatement(value)
        // The backend is told of a build that stands behind the version.
        guard case .missing = statement.platform, case .missing = statement.build else {
            return .alone
        }
        guard let version = statement.version.value else { return .unreadable }
        return self.versions.place(of: version)
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

    /// The part that a header field speaks of, if it is one alone.
    package func part(ofHeader index: Int) -> IdentityPart? {
        guard case .part(let part) = self.subjects[index] else { return nil }
        return part
    }

    /// The version in a value that has told of a class, as it is described.
    package static func versionText(_ value: Span<UInt8>) -> String? {
        try? AppVersion(value.extracting(value.withoutBlanks(0..<value.count))).description
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

extension ClientClasses {
    /// The places between and at the versions that rules name.
    private struct VersionCuts: Sendable {
        private let cuts: [AppVersion]
        /// The same as numbers; `nil` if one of them is too large.
        private let packed: [UInt128]?

        init(_ versions: [AppVersion]) {
            self.cuts = Set(versions).sorted()
            // A pre-release stands directly below its release: no plain version lies between.
            let packed = versions.map(\.packed)
            self.packed = packed.contains(nil) ? nil : Set(packed.compactMap(\.self)).sorted()
        }

        var isEmpty: Bool { self.cuts.isEmpty }

        /// The place of a version of dotted numbers, with or without build metadata; `nil` for what
        /// has to be read with more care.
        func fastPlace(of text: Span<UInt8>) -> Place? {
            guard let packed = self.packed, let version = AppVersion.packed(text) else {
                return nil
            }
            return .at(packed.place(of: version))
        }

        func place(of version: AppVersion) -> Place {
            .version(
                self.cuts.place(of: version),
                release: self.cuts.place(of: version.release)
            )
        }
    }
}

extension AppVersion {
    private static let packedParts = 4

    /// Four numbers of 32 bits, in the order of versions; `nil` for a version that has others.
    fileprivate var packed: UInt128? {
        guard self.numbers.count <= Self.packedParts else { return nil }
        var packed: UInt128 = 0
        for index in 0..<Self.packedParts {
            let number = index < self.numbers.count ? self.numbers[index].integer : 0
            guard let number, number <= UInt32.max else { return nil }
            packed = packed << 32 | UInt128(number)
        }
        return packed
    }

    /// The same of a text; `nil` also for one with anything beside numbers and build metadata.
    fileprivate static func packed(_ text: Span<UInt8>) -> UInt128? {
        guard text.count <= Self.maximumLength else { return nil }
        var (packed, parts): (UInt128, Int) = (0, 0)
        var (number, digits): (UInt64, Int) = (0, 0)
        for index in text.indices {
            let byte = text[index]
            if byte.isDigit {
                number = number * 10 + UInt64(byte - 0x30)
                digits += 1
                guard digits <= 10 else { return nil }
            } else if byte == UInt8(ascii: ".") {
                guard digits > 0, number <= UInt32.max, parts < Self.packedParts - 1
                else { return nil }
                packed = packed << 32 | UInt128(number)
                parts += 1
                (number, digits) = (0, 0)
            } else {
                let metadata = text.extracting(index + 1..<text.count)
                guard byte == UInt8(ascii: "+"), Prerelease.isWellFormed(metadata) else {
                    return nil
                }
                break
            }
        }
        guard digits > 0, number <= UInt32.max else { return nil }
        packed = packed << 32 | UInt128(number)
        return packed << UInt128(32 * (Self.packedParts - 1 - parts))
    }
}

/// The names that rules name.
private struct KnownNames: Sendable {
    private let names: [[UInt8]]
    let isASCII: Bool

    var isEmpty: Bool { self.names.isEmpty }

    init(_ names: some Sequence<String>) {
        self.names = Set(names.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
        self.isASCII = self.names.allSatisfy { $0.allSatisfy { $0 < 0x80 } }
    }

    /// The number of a name; 0 for one that no rule names.
    func place(of name: Span<UInt8>) -> Int {
        var (start, end) = (0, self.names.count)
        while start < end {
            let middle = (start + end) / 2
            let known = self.names[middle]
            if known.span.precedes(name) { start = middle + 1 } else { end = middle }
        }
        guard start < self.names.count else { return 0 }
        let known = self.names[start]
        return known.count == name.count && !name.precedes(known.span) ? start + 1 : 0
    }

    func place(ofLowercased name: Span<UInt8>) -> Int {
        if name.allSatisfy({ $0.lowercased == $0 }) { return self.place(of: name) }
        let lowercased = name.lowercasedText
        return self.place(of: lowercased.utf8Span.span)
    }

    func place(ofPlatform name: Span<UInt8>) -> Int {
        let written = self.place(of: name)
        // Rules hold the names to which aliases lead.
        guard written == 0 else { return written }
        let platform = Platform(name).name
        return self.place(of: platform.utf8Span.span)
    }
}

extension Span<UInt8> {
    fileprivate var isASCII: Bool { self.allSatisfy { $0 < 0x80 } }

    fileprivate func precedes(_ other: Span<UInt8>) -> Bool {
        for index in 0..<Swift.min(self.count, other.count) where self[index] != other[index] {
            return self[index] < other[index]
        }
        return self.count < other.count
    }
}

extension Array where Element: Comparable {
    /// The place of a value among ascending ones: an odd number is one of them, an even one lies
    /// between two.
    fileprivate func place(of value: Element) -> Int {
        var (start, end) = (0, self.count)
        while start < end {
            let middle = (start + end) / 2
            if self[middle] < value { start = middle + 1 } else { end = middle }
        }
        return start < self.count && self[start] == value ? 2 * start + 1 : 2 * start
    }
}

extension [UInt8] {
    /// Appends the place of a part; `mark` tells its kinds from each other.
    fileprivate mutating func append(_ part: IdentityPart, _ place: Int, _ mark: UInt8 = 0) {
        self.append(UInt8(truncatingIfNeeded: part.rawValue) | mark)
        for shift in [0, 8, 16, 24] { self.append(UInt8(truncatingIfNeeded: place >> shift)) }
    }
}
