/// The tag of a language (BCP 47, RFC 5646), compared without case.
package struct LanguageTag: Sendable, Hashable {
    /// The longest tag that is read, in bytes.
    static let maximumLength = 64

    /// The tag in the case of RFC 5646 section 2.1.1: `zh-Hant-TW`.
    package let description: String

    package static let english = LanguageTag(canonical: "en")

    /// Reads a tag; `nil` if it does not have the shape of one.
    package init?(_ text: String) {
        self.init(text.utf8)
    }

    init?(_ text: some Collection<UInt8>) {
        guard text.count <= Self.maximumLength else { return nil }
        let subtags = Array(text).split(
            separator: UInt8(ascii: "-"),
            omittingEmptySubsequences: false
        )
        guard let language = subtags.first, language.allSatisfy(\.isLetter),
            subtags.allSatisfy({ (1...8).contains($0.count) }),
            subtags.allSatisfy({ $0.allSatisfy { $0.isLetter || $0.isDigit } }),
            // A single letter introduces an extension, which cannot be empty; behind `x` it is one.
            subtags.last?.count != 1 || subtags.dropLast().contains(where: Self.isPrivateUse)
        else { return nil }
        var canonical: [UInt8] = language.map(\.lowercased)
        var followsSingleton = language.count == 1
        for subtag in subtags.dropFirst() {
            canonical.append(UInt8(ascii: "-"))
            canonical += Self.canonical(subtag, followsSingleton: followsSingleton)
            followsSingleton = subtag.count == 1
        }
        self.description = String(decoding: canonical, as: UTF8.self)
    }

    private init(canonical: String) {
        self.description = canonical
    }

    private static func isPrivateUse(_ subtag: ArraySlice<UInt8>) -> Bool {
        subtag.count == 1 && subtag.first?.lowercased == UInt8(ascii: "x")
    }

    /// Regions in upper case, scripts in title case, everything else in lower case.
    private static func canonical(
        _ subtag: ArraySlice<UInt8>,
        followsSingleton: Bool
    ) -> [UInt8] {
        let lower = subtag.map(\.lowercased)
        guard !followsSingleton, lower.allSatisfy(\.isLetter) else { return lower }
        switch lower.count {
        case 2: return lower.map { $0 & 0xDF }
        case 4: return [lower[0] & 0xDF] + lower[1...]
        default: return lower
        }
    }

    /// The region (RFC 5646 section 2.2.4): an upper-case country code, or three digits.
    package var region: String? {
        var subtags = self.description.split(separator: "-")[...]
        guard let language = subtags.popFirst(), language.utf8.count > 1 else { return nil }
        if language.utf8.count <= 3 {
            var extended = 0
            while extended < 3, let subtag = subtags.first, Self.isAlphabetic(subtag, 3) {
                subtags.removeFirst()
                extended += 1
            }
        }
        if let script = subtags.first, Self.isAlphabetic(script, 4) { subtags.removeFirst() }
        guard let region = subtags.first else { return nil }
        let isNumeric = region.utf8.count == 3 && region.utf8.allSatisfy(\.isDigit)
        return isNumeric || Self.isAlphabetic(region, 2) ? String(region) : nil
    }

    private static func isAlphabetic(_ subtag: Substring, _ count: Int) -> Bool {
        subtag.utf8.count == count && subtag.utf8.allSatisfy(\.isLetter)
    }

    /// The next shorter tag of a lookup (RFC 4647 section 3.4): without the last subtag, and
    /// without a single letter that would then be the last.
    var truncated: LanguageTag? {
        var subtags = self.description.split(separator: "-")
        subtags.removeLast()
        while let last = subtags.last, last.utf8.count == 1 { subtags.removeLast() }
        return subtags.isEmpty ? nil : LanguageTag(canonical: subtags.joined(separator: "-"))
    }

    /// Whether the other tag is this one or more specific (RFC 4647 section 3.3.1).
    func includes(_ other: LanguageTag) -> Bool {
        other == self || other.description.hasPrefix(self.description + "-")
    }
}

extension LanguageTag: CustomStringConvertible {}
