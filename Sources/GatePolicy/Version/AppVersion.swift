/// A version of an app or an operating system, as lenient as apps in the wild need it.
///
/// One to five numbers of any size, separated by dots; missing numbers are zero. A `v` in front,
/// blanks around it and leading zeros are accepted. A pre-release orders as in SemVer 2.0.0
/// section 11; build metadata after `+` does not order. Anything else is unreadable, and never
/// read as zero.
package struct AppVersion: Sendable {
    /// The longest version that is read, in bytes.
    static let maximumLength = 64
    static let maximumParts = 5

    /// The numbers without trailing zeros, so that `1.0` and `1.0.0` are the same value.
    let numbers: [DecimalNumber]
    let prerelease: [PrereleaseIdentifier]

    /// The text without `v`, blanks, leading zeros and build metadata.
    ///
    /// It has as many parts as were written, so that equal versions can differ in it: `1.0` and
    /// `1.0.0`.
    package let description: String

    package init(parsing text: String) throws(VersionError) {
        try self.init(text.trimmingBlanks)
    }

    /// Reads a version without blanks around it.
    init(_ text: Substring) throws(VersionError) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        var rest = text.utf8
        if rest.first?.lowercased == UInt8(ascii: "v"), rest.dropFirst().first?.isDigit == true {
            rest.removeFirst()
        }
        if let plus = rest.firstIndex(of: UInt8(ascii: "+")) {
            try Self.checkBuildMetadata(rest[rest.index(after: plus)...])
            rest = rest[..<plus]
        }
        var prerelease: [PrereleaseIdentifier] = []
        if let hyphen = rest.firstIndex(of: UInt8(ascii: "-")) {
            prerelease = try Self.prerelease(rest[rest.index(after: hyphen)...])
            rest = rest[..<hyphen]
        }
        let numbers = try Self.numbers(rest)
        // Nearly every version is written as it is described.
        let isDescription = prerelease.isEmpty && !Self.hasLeadingZero(rest)
        self.init(numbers, prerelease, as: isDescription ? String(Substring(rest)) : nil)
    }

    /// - Parameters:
    ///   - numbers: The numbers, as many as were written.
    ///   - prerelease: The identifiers of the pre-release.
    ///   - description: How they are written, if that is known.
    private init(
        _ numbers: [DecimalNumber],
        _ prerelease: [PrereleaseIdentifier],
        as description: String?
    ) {
        let end = numbers.lastIndex { $0 != .zero }.map { $0 + 1 } ?? 0
        self.numbers = end == numbers.count ? numbers : Array(numbers[..<end])
        self.prerelease = prerelease
        self.description = description ?? Self.description(numbers, prerelease)
    }

    private static func description(
        _ numbers: [DecimalNumber],
        _ prerelease: [PrereleaseIdentifier]
    ) -> String {
        let release = numbers.map(\.description).joined(separator: ".")
        let suffix = prerelease.map(\.description).joined(separator: ".")
        return suffix.isEmpty ? release : "\(release)-\(suffix)"
    }

    /// Whether one of the dotted numbers has a zero in front of another digit.
    private static func hasLeadingZero(_ text: Substring.UTF8View) -> Bool {
        var isFirst = true
        var isZero = false
        for byte in text {
            if isZero, byte.isDigit { return true }
            isZero = isFirst && byte == 0x30
            isFirst = byte == UInt8(ascii: ".")
        }
        return false
    }

    /// The release that a pre-release leads to; a release itself is returned as it is.
    package var release: AppVersion {
        guard !self.prerelease.isEmpty else { return self }
        return AppVersion(self.numbers, [], as: nil)
    }

    /// Reads the dotted numbers in front of a pre-release.
    static func numbers(
        _ text: Substring.UTF8View
    ) throws(VersionError) -> [DecimalNumber] {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= Self.maximumParts else { throw .tooManyParts }
        var numbers: [DecimalNumber] = []
        for part in parts {
            guard !part.isEmpty else { throw .emptyPart }
            guard let number = DecimalNumber(digits: part) else {
                throw .notANumber(Excerpt(part).text)
            }
            numbers.append(number)
        }
        return numbers
    }

    private static func prerelease(
        _ text: Substring.UTF8View
    ) throws(VersionError) -> [PrereleaseIdentifier] {
        var identifiers: [PrereleaseIdentifier] = []
        for part in text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard let identifier = PrereleaseIdentifier(part) else {
                throw .invalidPrerelease(Excerpt(text).text)
            }
            identifiers.append(identifier)
        }
        return identifiers
    }

    private static func checkBuildMetadata(_ text: Substring.UTF8View) throws(VersionError) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ PrereleaseIdentifier.isWellFormed($0) }) else {
            throw .invalidBuildMetadata(Excerpt(text).text)
        }
    }
}

extension AppVersion: CustomStringConvertible {}

extension AppVersion: Hashable {
    package static func == (left: AppVersion, right: AppVersion) -> Bool {
        left.numbers == right.numbers && left.prerelease == right.prerelease
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.numbers)
        hasher.combine(self.prerelease)
    }
}

extension AppVersion: Comparable {
    package static func < (left: AppVersion, right: AppVersion) -> Bool {
        guard left.numbers == right.numbers else {
            return left.numbers.lexicographicallyPrecedes(right.numbers)
        }
        // A pre-release comes before its release; otherwise a longer one after its own beginning.
        guard !left.prerelease.isEmpty, !right.prerelease.isEmpty else {
            return !left.prerelease.isEmpty && right.prerelease.isEmpty
        }
        return left.prerelease.lexicographicallyPrecedes(right.prerelease)
    }
}
