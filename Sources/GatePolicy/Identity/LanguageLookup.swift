/// Chooses the one language of an answer: the lookup of RFC 4647 section 3.4, which also finds a
/// language under its other code, and in the script that the client's region reads.
struct LanguageLookup: Sendable, Hashable {
    /// The languages that there are, in an order that does not change between runs.
    private let available: [LanguageTag]
    private let tags: Set<LanguageTag>
    /// The language for clients that want none of them.
    private let fallback: LanguageTag?

    init(available: some Sequence<LanguageTag>, fallback: LanguageTag) {
        let sorted = available.sorted { $0.description < $1.description }
        let tags = Set(sorted)
        self.available = sorted
        self.tags = tags
        self.fallback = Self.closest(to: fallback, among: tags.contains) ?? sorted.first
    }

    /// The language for a client that wants these, best first; `nil` only if there is none at all.
    func best(for ranges: [LanguageRange]) -> LanguageTag? {
        // Hardly anybody refuses a language.
        let refuses = ranges.contains { $0.weight == 0 }
        func isAcceptable(_ tag: LanguageTag) -> Bool {
            self.tags.contains(tag) && !(refuses && Self.isExcluded(tag, by: ranges))
        }
        for range in ranges where range.weight > 0 {
            if let tag = range.tag, let found = Self.closest(to: tag, among: isAcceptable) {
                return found
            }
        }
        // Only `*` or nothing is left. A client that excludes everything still needs words.
        if let fallback, isAcceptable(fallback) { return fallback }
        let takesAny = ranges.contains { $0.tag == nil && $0.weight > 0 }
        return (takesAny ? self.available.first(where: isAcceptable) : nil) ?? self.fallback
    }

    /// The language that says most nearly the same as a tag; `nil` if there is none.
    func closest(to tag: LanguageTag) -> LanguageTag? {
        Self.closest(to: tag, among: self.tags.contains)
    }

    private static func closest(
        to tag: LanguageTag,
        among isThere: (LanguageTag) -> Bool
    ) -> LanguageTag? {
        var candidate = tag
        while !isThere(candidate) {
            guard let shorter = candidate.truncated else {
                let forms = (candidate == tag ? tag.regionalForms : []) + tag.synonyms
                return forms.first(where: isThere)
            }
            // The language alone may be written as the client does not read it.
            if shorter.truncated == nil, let form = tag.regionalForms.first(where: isThere) {
                return form
            }
            candidate = shorter
        }
        return candidate
    }

    /// Whether the most specific range that speaks of a language refuses it.
    private static func isExcluded(_ tag: LanguageTag, by ranges: [LanguageRange]) -> Bool {
        var longest = -1
        var isRefused = false
        for range in ranges where range.tag?.includes(tag) ?? true {
            let length = range.tag?.description.utf8.count ?? 0
            guard length >= longest else { continue }
            isRefused = range.weight == 0 && (isRefused || length > longest)
            longest = length
        }
        return isRefused
    }
}
