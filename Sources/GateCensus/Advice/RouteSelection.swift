package import GatePolicy

/// The clients in the census whose requests some routes select.
///
/// Each kind of client is evaluated once.
package struct RouteSelection: Sendable {
    /// The routes: that of a rule, or all routes to a backend.
    package enum Target: Sendable, Equatable {
        case rule(String)
        case backend(String)
    }

    private struct Kind: Hashable {
        let client: CensusClient
        let paths: CensusPaths
    }

    package let target: Target
    private let ruleSet: RuleSet
    private let now: Timestamp
    private let devices: [Claim<String>]
    private var known: [Kind: Bool] = [:]

    /// Creates the selection by the active rules at the given time.
    package init(_ target: Target, by ruleSet: RuleSet, at now: Timestamp) {
        self.target = target
        self.ruleSet = ruleSet
        self.now = now
        self.devices = RuleSet.deviceSamples(for: ruleSet.definition.rulesWithNext).map(\.device)
    }

    /// Whether the routes select the backend of a cell's requests.
    ///
    /// With a rollout, this is true for clients of which the routes select some.
    mutating func includes(_ cell: CensusCell) -> Bool {
        guard let client = cell.client, !cell.outcome.paths.isExempt else { return false }
        let kind = Kind(client: client, paths: cell.outcome.paths)
        if let known = self.known[kind] { return known }
        let matched = Set(cell.outcome.paths.patterns)
        let scope = self.ruleSet.scope { matched.contains($0) }
        var identity = client.identity
        let isIncluded = self.devices.contains { device in
            identity.device = device
            let decision = self.ruleSet.decide(
                identity,
                in: scope,
                at: self.now,
                address: nil,
                ignoresMaintenance: true
            )
            return decision.route.map(self.includes) ?? false
        }
        self.known[kind] = isIncluded
        return isIncluded
    }

    private func includes(_ route: Decision.Destination) -> Bool {
        switch self.target {
        case .rule(let id): route.ruleID == id
        case .backend(let name): route.backend == name
        }
    }
}
