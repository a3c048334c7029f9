/// A language tag (BCP 47, RFC 5646), compared case-insensitively.
package struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
    /// The maximum length of a tag, in bytes.
    static let maximumLength = 64

    /// The tag in the letter case that RFC 5646 section 2.1.1 recommends, such as `zh-Hant-TW`.
    package let description: String

    package static let english = LanguageTag(canonical: "en")

    /// Parses a tag; returns `nil` if the tag is malformed.
    package init?(_ text: String) {
        self.init(text.utf8Span.span)
    }

    init?(_ text: Span<UInt8>) {
        guard 1...Self.maximumLength ~= text.count else { return nil }
        var canonical: [UInt8] = []
        canonical.reserveCapacity(text.count)
        // A single character introduces an extension, which cannot be empty. After `x`, a single
        // character is a private-use subtag.
        var (followsSingleton, isPrivateUse, isLastPrivateUse) = (false, false, false)
        var start = 0
        while start <= text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: "-") { end += 1 }
            let subtag = text.extracting(start..<end)
            guard 1...8 ~= subtag.count, subtag.allSatisfy({ $0.isLetter || $0.isDigit }) else {
                return nil
            }
            if start == 0 {
                guard subtag.allSatisfy(\.isLetter) else { return nil }
                Self.append(subtag, isOther: true, to: &canonical)
            } else {
                canonical.append(UInt8(ascii: "-"))
                Self.append(subtag, isOther: followsSingleton, to: &canonical)
            }
            followsSingleton = subtag.count == 1
            isLastPrivateUse = isPrivateUse
            isPrivateUse =
                isPrivateUse || followsSingleton && subtag[0].lowercased == UInt8(ascii: "x")
            start = end + 1
        }
        guard !followsSingleton || isLastPrivateUse else { return nil }
        self.description = String(decoding: canonical, as: UTF8.self)
    }

    /// Creates a tag from a string in canonical case.
    init(canonical: String) {
        self.description = canonical
    }

    /// Appends a subtag: a region in upper case, a script in title case, and any other subtag in
    /// lower case.
    ///
    /// `isOther` indicates whether the subtag is neither a region nor a script, regardless of its
    /// length.
    private static func append(
        _ subtag: Span<UInt8>,
        isOther: Bool,
        to canonical: inout [UInt8]
    ) {
        let isWord = !isOther && subtag.allSatisfy(\.isLetter)
        for index in subtag.indices {
            let isUpper = isWord && (subtag.count == 2 || subtag.count == 4 && index == 0)
            let lower = subtag[index].lowercased
            canonical.append(isUpper ? lower & 0xDF : lower)
        }
    }

    /// The script (RFC 5646 section 2.2.3) in title case; `nil` if the tag has none.
    var script: String? {
        guard let subtag = self.subtagsAfterLanguage.first, Self.isAlphabetic(subtag, 4) else {
            return nil
        }
        return String(subtag)
    }

    /// The region (RFC 5646 section 2.2.4): an upper-case country code or three digits; `nil` if
    /// the tag has none.
    package var region: String? {
        var subtags = self.subtagsAfterLanguage
        if let script = subtags.first, Self.isAlphabetic(script, 4) { subtags.removeFirst() }
        guard let region = subtags.first else { return nil }
        let isNumeric = region.utf8.count == 3 && region.utf8.allSatisfy(\.isDigit)
        return isNumeric || Self.isAlphabetic(region, 2) ? String(region) : nil
    }

    /// The subtags after the language and its extended language subtags.
    private var subtagsAfterLanguage: ArraySlice<Substring> {
        var subtags = self.description.split(separator: "-")[...]
        guard let language = subtags.popFirst(), language.utf8.count > 1 else { return [] }
        guard language.utf8.count <= 3 else { return subtags }
        var extended = 0
        while extended < 3, let subtag = subtags.first, Self.isAlphabetic(subtag, 3) {
            subtags.removeFirst()
            extended += 1
        }
        return subtags
    }

    private static func isAlphabetic(_ subtag: Substring, _ count: Int) -> Bool {
        subtag.utf8.count == count && subtag.utf8.allSatisfy(\.isLetter)
    }

    /// The next shorter tag for a lookup (RFC 4647 section 3.4); `nil` if there is none.
    ///
    /// The tag has neither the last subtag nor a single-character subtag that would then be last.
    var truncated: LanguageTag? {
        let text = self.description.utf8Span.span
        var end = text.count
        repeat {
            while end > 0, text[end - 1] != UInt8(ascii: "-") { end -= 1 }
            guard end > 0 else { return nil }
            end -= 1
        } while end == 1 || text[end - 2] == UInt8(ascii: "-")
        return LanguageTag(canonical: text.extracting(0..<end).text)
    }

    /// Whether another tag equals this tag or is more specific (RFC 4647 section 3.3.1).
    func includes(_ other: LanguageTag) -> Bool {
        let (own, text) = (self.description.utf8Span.span, other.description.utf8Span.span)
        guard text.count >= own.count, own.indices.allSatisfy({ own[$0] == text[$0] }) else {
            return false
        }
        return text.count == own.count || text[own.count] == UInt8(ascii: "-")
    }
}
