/// The clients and requests that a change of the rules can concern: those that a changed rule is
/// for, or that a changed setting is about.
struct ComparedFocus {
    /// One of these is for every client whose decision can be another one; they overlap.
    private(set) var matches: [RuleMatch]

    /// The parts of a change that have no client in common, unless one that says too little of
    /// itself.
    static func all(
        from old: RuleSetDefinition,
        to new: RuleSetDefinition,
        _ answers: ComparedAnswers
    ) -> [ComparedFocus] {
        var parts: [ComparedFocus] = []
        for match in self.unique(self.matches(old, new, answers)) {
            var whole = ComparedFocus(matches: [match])
            parts.removeAll { part in
                guard part.matches.contains(where: match.overlaps) else { return false }
                whole.matches += part.matches
                return true
            }
            parts.append(whole)
        }
        return parts
    }

    private static func unique(_ matches: [RuleMatch]) -> [RuleMatch] {
        // A match for everybody is all that there is to look at.
        if matches.contains(.anyone) { return [.anyone] }
        var unique: [RuleMatch] = []
        for match in matches where !unique.contains(match) { unique.append(match) }
        return unique
    }

    private static func matches(
        _ old: RuleSetDefinition,
        _ new: RuleSetDefinition,
        _ answers: ComparedAnswers
    ) -> [RuleMatch] {
        if old.answer != new.answer || old.mode != new.mode { return [.anyone] }
        var (before, after) = (old.unidentified, new.unidentified)
        let paths =
            before.paths.filter { !after.paths.contains($0) }
            + after.paths.filter { !before.paths.contains($0) }
        (before.paths, after.paths) = ([], [])
        if before != after { return [.anyone] }
        let exemptions = Set(old.exemptions).symmetricDifference(new.exemptions)
        let requests = (paths.map(\.request) + old.exemptions + new.exemptions).filter { request in
            exemptions.contains(request) || paths.contains { $0.request == request }
        }
        let releases =
            old.releases.filter { !new.releases.contains($0) }
            + new.releases.filter { !old.releases.contains($0) }
        return requests.map { RuleMatch(requests: [$0]) }
            + releases.map { RuleMatch(platforms: [$0.platform]) }
            + self.rules(old.rules, new.rules, answers).map(\.match)
    }

    /// The rules that are not in both lists, not in the same order, or answer otherwise.
    private static func rules(
        _ old: [RuleDefinition],
        _ new: [RuleDefinition],
        _ answers: ComparedAnswers
    ) -> [RuleDefinition] {
        let (before, after) = (self.byID(old), self.byID(new))
        func isKept(_ rule: RuleDefinition) -> Bool {
            before[rule.id] == after[rule.id] && answers.isUnchanged(rule.id)
        }
        // Among rules that are equally strict, the order says whose link a client gets.
        guard old.filter(isKept).map(\.id) == new.filter(isKept).map(\.id) else {
            return old + new
        }
        return (old + new).filter { !isKept($0) }
    }

    private static func byID(_ rules: [RuleDefinition]) -> [String: RuleDefinition] {
        Dictionary(rules.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension RuleMatch {
    /// Whether both can be for one client that says everything of itself, as far as names tell.
    package func overlaps(_ other: RuleMatch) -> Bool {
        Self.overlaps(self.platforms, other.platforms)
            && Self.overlaps(self.apps, other.apps) { $0.meets($1) }
            && Self.overlaps(
                self.channels?.map { $0.lowercasedASCII },
                other.channels?.map { $0.lowercasedASCII }
            )
            && Self.overlaps(self.requests, other.requests) { one, other in
                one.meets(other)
            }
    }

    private static func overlaps<Name: Equatable>(_ one: [Name]?, _ other: [Name]?) -> Bool {
        self.overlaps(one, other, by: ==)
    }

    private static func overlaps<Name>(
        _ one: [Name]?,
        _ other: [Name]?,
        by meets: (Name, Name) -> Bool
    ) -> Bool {
        guard let one, let other else { return true }
        return one.contains { left in other.contains { meets(left, $0) } }
    }
}

extension RequestPattern {
    /// Whether some request is in both patterns.
    ///
    /// Says whether there is a `ComparedRequest` of both, without making one: thousands of rules are
    /// held against each other.
    func meets(_ other: RequestPattern) -> Bool {
        if let methods, let others = other.methods, !methods.contains(where: others.contains) {
            return false
        }
        guard let one = self.foldedSegments, let other = other.foldedSegments else { return true }
        for place in 0..<max(one.count, other.count) {
            guard place < one.count else { return Self.isAllBelow(other[place...]) }
            guard place < other.count else { return Self.isAllBelow(one[place...]) }
            switch (one[place], other[place]) {
            case (.anythingBelow, _), (_, .anythingBelow): return true
            case (.literal(let left), .literal(let right)) where left != right: return false
            default: continue
            }
        }
        return true
    }

    /// Whether segments also match a path that ends before them.
    private static func isAllBelow(_ rest: ArraySlice<Segment>) -> Bool {
        rest.elementsEqual([.anythingBelow]) || rest.elementsEqual([.literal([])])
    }
}
