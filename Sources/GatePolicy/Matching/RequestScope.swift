/// A request as the rules see it, beside its client: whether it is judged at all, and which request
/// patterns it matches.
///
/// Requests of the same scope get the same decision, so that it can be a key of a cache.
package struct RequestScope: Sendable, Hashable {
    /// Whether the request is never judged.
    package let isExempt: Bool
    let patterns: PatternSet

    static let exempt = RequestScope(isExempt: true, patterns: PatternSet())
    package static let unrestricted = RequestScope(isExempt: false, patterns: PatternSet())
}
