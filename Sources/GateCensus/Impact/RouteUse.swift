package import GatePolicy

/// The routes of a rule set that apply to clients in a census.
package struct RouteUse: Sendable {
    /// All known clients.
    package private(set) var total = ImpactAmount()
    /// The rules whose routes apply to requests, or may apply because not all request paths are known.
    package private(set) var used: Set<String> = []

    /// Evaluates the clients of a census; the rows must include the path shapes if the census contains any.
    package init(of rows: [CensusRow], by ruleSet: RuleSet, at now: Timestamp) {
        let shapes = Set(rows.flatMap(\.figures.shapes.counts.keys))
        // After a maintenance window, its clients use the routes again.
        var view = CensusView(ruleSet, now, ignoresMaintenance: true, shapes)
        let routes = ruleSet.definition.rules.filter { $0.route != nil }
        let patterns = Set(routes.flatMap { $0.match.requests ?? [] }.map(\.text))
        let devices = RuleSet.deviceSamples(for: ruleSet.definition.rulesWithNext).map(\.device)
        for row in rows where row.figures.requests > 0 {
            guard let client = row.cell.client else { continue }
            self.total.add(row.figures)
            guard self.used.count < routes.count else { continue }
            for scope in Self.scopes(row, &view, patterns) {
                var identity = client.identity
                for device in devices {
                    identity.device = device
                    guard let route = view.decide(identity, in: scope).route else { continue }
                    self.used.insert(route.ruleID)
                }
            }
        }
    }

    /// Returns the scopes that requests of a row have, or may have.
    private static func scopes(
        _ row: CensusRow,
        _ view: inout CensusView,
        _ patterns: Set<String>
    ) -> Set<RequestScope> {
        let possible = view.possibleScopes(row, patterns: patterns)
        guard possible.count > 1 else { return possible }
        var scopes: Set<RequestScope> = []
        var rest = 1.0
        for (shape, share) in row.figures.shapes.shares(of: row.figures.requests) {
            guard let scope = view.scope(of: shape, row) else { continue }
            scopes.insert(scope)
            rest -= share
        }
        // The comparison ignores rounding errors in the sum.
        return rest > 1e-9 ? scopes.union(possible) : scopes
    }
}
