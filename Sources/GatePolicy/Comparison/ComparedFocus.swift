/// The clients and requests that a change to the rules can affect.
///
/// A changed rule matches these clients, or a changed setting applies to them.
struct ComparedFocus {
    /// The conditions, possibly overlapping, that together match all clients whose decision may
    /// change.
    private(set) var matches: [RuleMatch]

    /// Returns the parts of a change, which can be compared independently.
    ///
    /// A client belongs to at most one part, unless the client does not send the fields in which
    /// the parts differ.
    static func all(
        from old: RuleSetDefinition,
        to new: RuleSetDefinition,
        _ answers: ComparedAnswers
    ) -> [ComparedFocus] {
        var parts: [ComparedFocus] = []
        let matches = self.matches(old, new, answers)
        // A match for all clients includes every other match.
        for match in matches.contains(.anyone) ? [.anyone] : matches.uniqued() {
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

    /// Returns the rules that were added, removed or changed, or whose response changed.
    ///
    /// Returns all rules if the order of the unchanged rules differs.
    private static func rules(
        _ old: [RuleDefinition],
        _ new: [RuleDefinition],
        _ answers: ComparedAnswers
    ) -> [RuleDefinition] {
        let (before, after) = (self.byID(old), self.byID(new))
        func isKept(_ rule: RuleDefinition) -> Bool {
            before[rule.id] == after[rule.id] && answers.isUnchanged(rule.id)
        }
        // The order of equally strict rules determines which store URL a client gets.
        guard old.filter(isKept).map(\.id) == new.filter(isKept).map(\.id) else {
            return old + new
        }
        return (old + new).filter { !isKept($0) }
    }

    private static func byID(_ rules: [RuleDefinition]) -> [String: RuleDefinition] {
        Dictionary(firstOf: rules.map { ($0.id, $0) })
    }
}

extension RuleMatch {
    /// Whether a client that sends all fields can match both conditions.
    ///
    /// Only names are compared: platforms, apps, channels and requests.
    package func overlaps(_ other: RuleMatch) -> Bool {
        Self.overlaps(self.platforms, other.platforms, by: ==)
            && Self.overlaps(self.apps, other.apps) { $0.meets($1) }
            && Self.overlaps(
                self.channels?.map(\.lowercasedASCII),
                other.channels?.map(\.lowercasedASCII),
                by: ==
            )
            && Self.overlaps(self.requests, other.requests) { $0.meets($1) }
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
    /// Whether a request can match both patterns.
    ///
    /// Creating a `ComparedRequest` for both patterns would give the same result, but would be too
    /// slow for comparing thousands of rules with each other.
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

    /// Whether the segments also match a path that ends before the first of them.
    private static func isAllBelow(_ rest: ArraySlice<Segment>) -> Bool {
        rest.elementsEqual([.anythingBelow]) || rest.elementsEqual([.literal([])])
    }
}
