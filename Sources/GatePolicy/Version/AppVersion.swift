/// A version of an app or an operating system, parsed as leniently as released apps require.
///
/// A version consists of one to five numbers of any size, separated by dots. Missing numbers are
/// zero. A leading `v`, surrounding whitespace and leading zeros are accepted. Pre-releases are
/// ordered as in SemVer 2.0.0 section 11. Build metadata after `+` does not affect the order. Any
/// other string is unparsable and is never treated as zero.
package struct AppVersion: Sendable, CustomStringConvertible {
    /// The maximum length of a version, in bytes.
    static let maximumLength = 64
    static let maximumParts = 5

    /// The numbers without trailing zeros, so that `1.0` and `1.0.0` are equal.
    let numbers: [DecimalNumber]
    let prerelease: Prerelease

    /// The version without `v`, whitespace, leading zeros and build metadata.
    ///
    /// The number of parts is kept as written, so the descriptions of equal versions can differ,
    /// such as `1.0` and `1.0.0`.
    package let description: String

    package init(parsing text: String) throws(VersionError) {
        let bytes = text.utf8Span.span
        try self.init(bytes.extracting(bytes.withoutBlanks(0..<bytes.count)))
    }

    /// Parses a version without surrounding whitespace.
    init(_ text: Span<UInt8>) throws(VersionError) {
        guard !text.isEmpty else { throw .empty }
        guard text.count <= Self.maximumLength else { throw .tooLong }
        let hasMark = text.count > 1 && text[0].lowercased == UInt8(ascii: "v") && text[1].isDigit
        let start = hasMark ? 1 : 0
        var end = text.count
        if let plus = text.firstIndex(of: UInt8(ascii: "+")) {
            let metadata = text.extracting(plus + 1..<end)
            guard Prerelease.isWellFormed(metadata) else {
                throw .invalidBuildMetadata(Excerpt(metadata).text)
            }
            end = plus
        }
        let written = text.extracting(start..<end)
        var prerelease = Prerelease.none
        var isDescription = true
        if let hyphen = text.extracting(0..<end).firstIndex(of: UInt8(ascii: "-")) {
            let identifiers = text.extracting(hyphen + 1..<end)
            guard let read = Prerelease(identifiers) else {
                throw .invalidPrerelease(Excerpt(identifiers).text)
            }
            prerelease = read
            isDescription = read.text.utf8.count == identifiers.count
            end = hyphen
        }
        let release = text.extracting(start..<end)
        let numbers = try Self.numbers(release)
        // Almost all versions are already written in the form that `description` produces.
        isDescription = isDescription && !Prerelease.hasLeadingZero(release)
        self.init(numbers, prerelease, as: isDescription ? written.text : nil)
    }

    /// The lowest release, `0`.
    package static let zero = AppVersion([.zero], .none, as: "0")

    /// Creates a placeholder for a version whose string is inserted later.
    ///
    /// A placeholder is never compared.
    init(standIn text: String) {
        self.init([], .none, as: text)
    }

    /// Creates a version from its numbers as written.
    ///
    /// If `description` is `nil`, it is derived from the numbers and the pre-release.
    private init(
        _ numbers: [DecimalNumber],
        _ prerelease: Prerelease,
        as description: String?
    ) {
        let end = numbers.lastIndex { $0 != .zero }.map { $0 + 1 } ?? 0
        self.description = description ?? Self.description(numbers, prerelease)
        self.numbers = end == numbers.count ? numbers : Array(numbers[..<end])
        self.prerelease = prerelease
    }

    private static func description(
        _ numbers: [DecimalNumber],
        _ prerelease: Prerelease
    ) -> String {
        let release = numbers.map(\.description).joined(separator: ".")
        return prerelease.isEmpty ? release : "\(release)-\(prerelease.text)"
    }

    /// Whether the bytes are a release in the form that `description` produces.
    static func isPlain(_ text: Span<UInt8>) -> Bool {
        guard text.count <= Self.maximumLength else { return false }
        var (parts, start, index) = (1, 0, 0)
        while true {
            while index < text.count, text[index].isDigit { index += 1 }
            // A leading zero must not be followed by another digit.
            guard index > start, index == start + 1 || text[start] != 0x30 else { return false }
            guard index < text.count else { return parts <= Self.maximumParts }
            guard text[index] == UInt8(ascii: ".") else { return false }
            (parts, start, index) = (parts + 1, index + 1, index + 1)
        }
    }

    /// Returns the number at an index; a missing number is zero.
    func number(at index: Int) -> DecimalNumber {
        index < self.numbers.count ? self.numbers[index] : .zero
    }

    /// The release that a pre-release precedes; a release is returned unchanged.
    package var release: AppVersion {
        guard !self.prerelease.isEmpty else { return self }
        return AppVersion(self.numbers, .none, as: nil)
    }

    /// Parses the dotted numbers before a pre-release.
    static func numbers(_ text: Span<UInt8>) throws(VersionError) -> [DecimalNumber] {
        var parts = 1
        for index in text.indices where text[index] == UInt8(ascii: ".") { parts += 1 }
        guard parts <= Self.maximumParts else { throw .tooManyParts }
        var numbers: [DecimalNumber] = []
        numbers.reserveCapacity(parts)
        var start = 0
        while start <= text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: ".") { end += 1 }
            let part = text.extracting(start..<end)
            guard !part.isEmpty else { throw .emptyPart }
            guard let number = DecimalNumber(digits: part) else {
                throw .notANumber(Excerpt(part).text)
            }
            numbers.append(number)
            start = end + 1
        }
        return numbers
    }
}

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
        // A pre-release sorts before its release.
        guard !left.prerelease.isEmpty, !right.prerelease.isEmpty else {
            return !left.prerelease.isEmpty && right.prerelease.isEmpty
        }
        return left.prerelease < right.prerelease
    }
}
