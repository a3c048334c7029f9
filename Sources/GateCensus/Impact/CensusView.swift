internal import GatePolicy

/// A rule set at a given time, for the requests of a census.
struct CensusView {
    /// The least strict and the strictest scope that requests may have.
    struct Scopes: Hashable {
        let least: RequestScope
        let most: RequestScope

        var areOne: Bool { self.least == self.most }
    }

    let ruleSet: RuleSet
    private let time: Timestamp
    private let ignoresMaintenance: Bool
    private let paths: Set<String>
    private let exemptions: Set<String>
    /// The scopes of shapes whose requests all have the same scope.
    private let shapes: [PathShape: RequestScope]
    /// The results of `scopes(_:)`, by the known paths and by the row's paths; there are few sets of known paths.
    private var results: [(known: Set<String>, scopes: [CensusPaths: Scopes])] = []

    init(
        _ ruleSet: RuleSet,
        _ time: Timestamp,
        ignoresMaintenance: Bool,
        _ shapes: Set<PathShape> = []
    ) {
        self.shapes = Dictionary(
            uniqueKeysWithValues: shapes.compactMap { shape in
                ruleSet.scope(of: shape).map { (shape, $0) }
            }
        )
        self.ruleSet = ruleSet
        self.time = time
        self.ignoresMaintenance = ignoresMaintenance
        self.paths = Set(ruleSet.patterns)
        self.exemptions = ruleSet.exemptPaths
    }

    /// Returns the scope of a row's requests with a given shape; `nil` if it is unknown.
    func scope(of shape: PathShape, _ row: CensusRow) -> RequestScope? {
        guard let scope = self.shapes[shape] else { return nil }
        let paths = row.cell.outcome.paths
        if scope.isExempt || paths.isExempt { return scope }
        let (matched, seen) = (Set(paths.patterns), Set(self.ruleSet.patterns(in: scope)))
        return self.ruleSet.scope {
            row.known.contains($0) ? matched.contains($0) : seen.contains($0)
        }
    }

    /// Returns the scope of requests that match exactly the patterns in `paths`.
    func scope(of paths: CensusPaths) -> RequestScope {
        let matched = Set(paths.patterns)
        return self.ruleSet.scope { matched.contains($0) }
    }

    /// Returns the least strict and the strictest scope that requests of a row may have.
    mutating func scopes(_ row: CensusRow) -> Scopes {
        let paths = row.cell.outcome.paths
        // Sets that share their storage are compared quickly.
        let place = self.results.firstIndex { $0.known == row.known } ?? self.results.endIndex
        if place == self.results.endIndex { self.results.append((row.known, [:])) }
        if let scopes = self.results[place].scopes[paths] { return scopes }
        let scopes = self.scopes(of: paths, known: row.known)
        self.results[place].scopes[paths] = scopes
        return scopes
    }

    private func scopes(of paths: CensusPaths, known: Set<String>) -> Scopes {
        let knownExemptions = known.filter { $0.hasPrefix(CensusPaths.exemption) }
        if paths.isExempt {
            if self.exemptions.isSuperset(of: knownExemptions) {
                return Scopes(RequestScope.exempt)
            }
            // It is unknown which exemption matched, and which rules match the requests.
            let isGone = self.exemptions.isDisjoint(with: knownExemptions)
            let least = isGone ? self.ruleSet.scope { _ in false } : RequestScope.exempt
            return Scopes(least: least, most: self.ruleSet.scope { _ in true })
        }
        let matched = Set(paths.patterns)
        let isNew = !self.exemptions.isSubset(of: knownExemptions)
        let least = isNew ? RequestScope.exempt : self.scope(of: paths)
        guard isNew || !self.paths.isSubset(of: known) else { return Scopes(least) }
        return Scopes(
            least: least,
            most: self.ruleSet.scope { matched.contains($0) || !known.contains($0) }
        )
    }

    /// Returns every scope that the requests of a row may have, if each request matches at most one of the given
    /// patterns that are unknown to the row.
    mutating func possibleScopes(
        _ row: CensusRow,
        patterns: Set<String>
    ) -> Set<RequestScope> {
        let scopes = self.scopes(row)
        guard !scopes.areOne else { return [scopes.least] }
        let matched = Set(row.cell.outcome.paths.patterns)
        let single = patterns.subtracting(row.known).map { pattern in
            self.ruleSet.scope { matched.contains($0) || $0 == pattern }
        }
        return Set([scopes.least, scopes.most, self.scope(of: row.cell.outcome.paths)] + single)
    }

    func decide(_ client: ClientIdentity, in scope: RequestScope) -> Decision {
        self.ruleSet.decide(
            client,
            in: scope,
            at: self.time,
            address: nil,
            ignoresMaintenance: self.ignoresMaintenance
        )
    }

    func decide(_ client: ClientIdentity, in scopes: Scopes) -> (least: Decision, most: Decision) {
        let least = self.decide(client, in: scopes.least)
        return (least, scopes.areOne ? least : self.decide(client, in: scopes.most))
    }
}

extension CensusView.Scopes {
    init(_ scope: RequestScope) {
        self.init(least: scope, most: scope)
    }
}
