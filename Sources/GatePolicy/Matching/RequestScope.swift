/// The properties of a request that rules depend on, apart from its client.
///
/// A scope records whether the request is evaluated, and which request patterns the request
/// matches. Requests in the same scope get the same decision for a client, so a scope can be part
/// of a cache key.
@usableFromInline
package struct RequestScope: Sendable, Hashable {
    /// Whether the request is exempt from evaluation.
    package let isExempt: Bool
    let patterns: PatternSet
    /// Whether the request is evaluated and matches no pattern, as is the case for most requests.
    ///
    /// This property makes comparing such scopes cheap.
    @usableFromInline package let isUnrestricted: Bool

    init(isExempt: Bool, patterns: PatternSet) {
        self.isExempt = isExempt
        self.patterns = patterns
        self.isUnrestricted = !isExempt && patterns.isEmpty
    }

    // The scope is computed on each access, which costs less than checking whether a stored value
    // is initialized.
    package static var exempt: RequestScope { RequestScope(isExempt: true, patterns: PatternSet()) }
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
