package import GatePolicy

/// Determines to which clients in the census the given routes apply.
///
/// Each kind of client is evaluated once.
package struct RouteSelection: Sendable {
    /// The routes: the route of a rule, or all routes to a backend.
    package enum Target: Sendable, Equatable {
        case rule(String)
        case backend(String)

        /// Returns whether the rules contain any of these routes.
        package func exists(in definition: RuleSetDefinition) -> Bool {
            definition.rules.contains(where: self.includes)
        }

        /// Returns whether the route of a rule is one of these routes.
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

        /// The routes as named in messages, such as `the route of 'old'` or `routes to 'legacy'`.
        package var words: String {
            switch self {
            case .rule(let id): "the route of '\(id)'"
            case .backend(let name): "routes to '\(name)'"
            }
        }
    }

    package let target: Target
    private let view: CensusView
    private let devices: [Claim<String>]
    private var known: [ClientKind: Bool] = [:]

    /// Creates the selection, based on the active rules at the given time.
    package init(_ target: Target, by ruleSet: RuleSet, at now: Timestamp) {
        self.target = target
        self.view = CensusView(ruleSet, now, ignoresMaintenance: true)
        self.devices = RuleSet.deviceSamples(for: ruleSet.definition.rulesWithNext).map(\.device)
    }

    /// Returns whether the routes apply to a cell's requests.
    ///
    /// In a rollout, this is true even if the routes apply to only some of the clients.
    mutating func includes(_ cell: CensusCell) -> Bool {
        guard let kind = ClientKind(cell) else { return false }
        if let known = self.known[kind] { return known }
        let scope = self.view.scope(of: kind.paths)
        var identity = kind.client.identity
        let isIncluded = self.devices.contains { device in
            identity.device = device
            guard let route = self.view.decide(identity, in: scope).route else { return false }
            return self.target.includes(route.ruleID, to: route.backend)
        }
        self.known[kind] = isIncluded
        return isIncluded
    }
}
