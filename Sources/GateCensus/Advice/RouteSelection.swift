package import GatePolicy

/// The clients in the census whose requests some routes select.
///
/// Each kind of client is evaluated once.
package struct RouteSelection: Sendable {
    /// The routes: that of a rule, or all routes to a backend.
    package enum Target: Sendable, Equatable {
        case rule(String)
        case backend(String)

        /// Whether the rules contain such a route.
        package func exists(in definition: RuleSetDefinition) -> Bool {
            definition.rules.contains(where: self.includes)
        }

        /// Whether the route of a rule is one of them.
        package func includes(_ rule: RuleDefinition) -> Bool {
            guard let route = rule.route else { return false }
            return self.includes(rule.id, to: route.backend)
        }

        fileprivate func includes(_ rule: String, to backend: String) -> Bool {
            switch self {
            case .rule(let id): rule == id
            case .backend(let name): backend == name
            }
        }

        /// The routes as text: `the route of 'old'`, `routes to 'legacy'`.
        package var words: String {
            switch self {
            case .rule(let id): "the route of '\(id)'"
            case .backend(let name): "routes to '\(name)'"
            }
        }
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
    /// In a rollout, this is true even if the routes select only some of the clients.
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
            guard let route = decision.route else { return false }
            return self.target.includes(route.ruleID, to: route.backend)
        }
        self.known[kind] = isIncluded
        return isIncluded
    }
}
