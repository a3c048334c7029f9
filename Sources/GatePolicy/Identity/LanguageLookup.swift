/// Selects the language of a response (RFC 4647 section 3.4, "Lookup").
///
/// The lookup also finds a language under its other codes, and in the script that is used in the
/// client's region.
struct LanguageLookup: Sendable, Hashable {
    /// The available languages, in an order that is the same in every run.
    private let available: [LanguageTag]
    private let tags: Set<LanguageTag>
    /// The language for clients that accept none of the available languages.
    private let fallback: LanguageTag?

    init(available: some Sequence<LanguageTag>, fallback: LanguageTag) {
        let sorted = available.sorted { $0.description < $1.description }
        let tags = Set(sorted)
        self.available = sorted
        self.tags = tags
        self.fallback = Self.closest(to: fallback, among: tags.contains) ?? sorted.first
    }

    /// Returns the best language for a client's preferences; `nil` only if no language is
    /// available.
    func best(for ranges: [LanguageRange]) -> LanguageTag? {
        // Clients rarely exclude a language, so exclusions are checked only if there are any.
        let refuses = ranges.contains { $0.weight == 0 }
        func isAcceptable(_ tag: LanguageTag) -> Bool {
            self.tags.contains(tag) && !(refuses && Self.isExcluded(tag, by: ranges))
        }
        for range in ranges where range.weight > 0 {
            if let tag = range.tag, let found = Self.closest(to: tag, among: isAcceptable) {
                return found
            }
        }
        // Only `*` can still match. A client that excludes all languages nevertheless gets texts.
        if let fallback, isAcceptable(fallback) { return fallback }
        let takesAny = ranges.contains { $0.tag == nil && $0.weight > 0 }
        return (takesAny ? self.available.first(where: isAcceptable) : nil) ?? self.fallback
    }

    /// Returns the available language that is closest to a tag; `nil` if no language matches.
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
            // The language without a region may use a script that the client does not read.
            if shorter.truncated == nil, let form = tag.regionalForms.first(where: isThere) {
                return form
            }
            candidate = shorter
        }
        return candidate
    }

    /// Whether the most specific range that includes a language has weight 0.
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
