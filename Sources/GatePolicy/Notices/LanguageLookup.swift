/// Chooses the one language of an answer: the lookup of RFC 4647 section 3.4.
struct LanguageLookup: Sendable, Hashable {
    /// The languages that there are, in an order that does not change between runs.
    private let available: [LanguageTag]
    /// The language for clients that want none of them.
    private let fallback: LanguageTag?

    init(available: some Sequence<LanguageTag>, fallback: LanguageTag) {
        let tags = available.sorted { $0.description < $1.description }
        self.available = tags
        self.fallback = tags.contains(fallback) ? fallback : tags.first
    }

    /// The language for a client that wants these, best first; `nil` only if there is none at all.
    func best(for ranges: [LanguageRange]) -> LanguageTag? {
        // Hardly anybody refuses a language.
        let acceptable =
            ranges.contains { $0.weight == 0 }
            ? self.available.filter { !Self.isExcluded($0, by: ranges) } : self.available
        for range in ranges where range.weight > 0 {
            var candidate = range.tag
            while let tag = candidate {
                if acceptable.contains(tag) { return tag }
                candidate = tag.truncated
            }
        }
        // What is left is `*` or nothing. A client that excludes everything still needs words.
        if let fallback, acceptable.contains(fallback) { return fallback }
        let takesAny = ranges.contains { $0.tag == nil && $0.weight > 0 }
        return (takesAny ? acceptable.first : nil) ?? self.fallback
    }

    /// Whether the most specific range that speaks of a language refuses it.
    private static func isExcluded(_ tag: LanguageTag, by ranges: [LanguageRange]) -> Bool {
        let speaking = ranges.filter { $0.tag?.includes(tag) ?? true }
        func specificity(_ range: LanguageRange) -> Int {
            range.tag?.description.utf8.count ?? 0
        }
        guard let longest = speaking.map(specificity).max() else { return false }
        return speaking.allSatisfy { specificity($0) < longest || $0.weight == 0 }
    }
}
