/// The facts about rules that a census of clients needs.
extension RuleSet {
    /// The patterns of rules that a request matched, as they are written; every one there is for a
    /// request that nobody can read.
    package func patterns(in scope: RequestScope) -> [String] {
        guard let numbers = scope.patterns.numbers else { return self.classifier.texts }
        return numbers.map { self.classifier.texts[$0] }
    }

    /// The patterns of all rules, as they are written.
    package var patterns: [String] { self.classifier.texts }

    /// The patterns of exemptions, likewise.
    package var exemptPatterns: [String] { self.definition.exemptions.map(\.text) }

    /// The scope of a request that is never judged.
    package static var exemptScope: RequestScope { .exempt }

    /// The scope of a request that matches those patterns of these rules for which `matches` says so.
    package func scope(matching matches: (String) -> Bool) -> RequestScope {
        var patterns = PatternSet()
        for (number, text) in self.classifier.texts.enumerated() where matches(text) {
            patterns.insert(number)
        }
        return RequestScope(isExempt: false, patterns: patterns)
    }

    /// The indices in `identityHeaderNames` of the fields that speak for a part.
    package func headerIndices(of part: IdentityPart) -> [Int] { self.reader.indices(of: part) }

    /// The index of `User-Agent` there, if clients are known by it.
    package var userAgentIndex: Int? { self.reader.userAgentIndex }
}
