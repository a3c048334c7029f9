/// A request as the rules see it, beside its client: whether it is judged at all, and which request
/// patterns it matches.
///
/// Requests of the same scope get the same decision, so that it can be a key of a cache.
@usableFromInline
package struct RequestScope: Sendable, Hashable {
    /// Whether the request is never judged.
    package let isExempt: Bool
    let patterns: PatternSet
    /// Whether it is judged and matches no pattern, as most requests do: such scopes are the same at a glance.
    @usableFromInline package let isUnrestricted: Bool

    init(isExempt: Bool, patterns: PatternSet) {
        self.isExempt = isExempt
        self.patterns = patterns
        self.isUnrestricted = !isExempt && patterns.isEmpty
    }

    // Built anew each time, which costs less than to ask whether it was built before.
    static var exempt: RequestScope { RequestScope(isExempt: true, patterns: PatternSet()) }
    package static var unrestricted: RequestScope {
        RequestScope(isExempt: false, patterns: PatternSet())
    }

    @inlinable
    package static func == (left: Self, right: Self) -> Bool {
        left.isUnrestricted && right.isUnrestricted || left.isSame(as: right)
    }

    @usableFromInline
    func isSame(as other: RequestScope) -> Bool {
        self.isExempt == other.isExempt && self.patterns == other.patterns
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.isExempt)
        hasher.combine(self.patterns)
    }
}
