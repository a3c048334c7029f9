internal import GateCensus
internal import GatePolicy

/// Finds routes to backends that are not configured.
struct UnknownBackendCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        guard let backends = rules.gate.backends else { return }
        for floor in rules.floors {
            guard let route = floor.rule.route, !backends.contains(route.backend) else { continue }
            let hint = Spelling.hint(for: route.backend, among: backends)
            let names = backends.map { "'\($0)'" }
            let known =
                names.isEmpty
                ? "; no backend is configured with --upstream-named"
                : "; --upstream-named names \(names.joined(separator: ", "))"
            findings.report(
                .unknownBackend,
                "there is no backend '\(route.backend)'\(hint.isEmpty ? known : hint)",
                on: floor,
                at: "route"
            )
        }
    }
}

/// Finds routes that can never select a backend, because an earlier route includes all of their
/// clients or a floor denies all of them.
struct DeadRouteCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        for (index, floor) in rules.floors.enumerated() {
            guard let route = floor.rule.route else { continue }
            for place in rules.covering.places(covering: index) {
                let other = rules.floors[place].rule
                guard other.alwaysEnforces, other.prerelease == floor.rule.prerelease else {
                    continue
                }
                let reason: String
                if place < index, let earlier = other.route, earlier.includes(route) {
                    reason = "the earlier route of '\(other.id)' includes all of its clients"
                } else if other.denies(route) {
                    reason = "'\(other.id)' denies all of its clients"
                } else {
                    continue
                }
                findings.report(
                    .deadRoute,
                    "the route of '\(floor.rule.id)' never selects a backend: \(reason)",
                    on: floor,
                    at: "route"
                )
                break
            }
        }
    }
}

/// Finds active routes that no client has used in the last day.
struct UnusedRouteCheck {
    let rules: LoadedRules
    let census: [CensusRow]
    let now: Timestamp

    func report(to findings: FindingCollector) {
        let routes = self.rules.definition.rules.filter { $0.hasRouteInForce(at: self.now) }
        guard self.rules.definition.mode == .enforce, !routes.isEmpty else { return }
        let use = RouteUse(of: self.census, by: self.rules.ruleSet, at: self.now)
        let countsDevices = use.total.countsByDevices
        let seen = countsDevices ? use.total.devices : use.total.requests
        guard seen >= GuardCheck.minimumForFinding else { return }
        let noun = countsDevices ? "devices" : "requests"
        for rule in routes where !use.used.contains(rule.id) {
            guard let places = self.rules.places.rules[rule.id] else { continue }
            findings.report(
                .unusedRoute,
                "the route of '\(rule.id)' was used by none of the \(Int(seen.rounded())) \(noun) "
                    + "seen in the last day",
                at: places.place(of: "route"),
                rule: rule.id
            )
        }
    }
}

extension RuleDefinition {
    /// Whether the rule's route selects backends at the given time.
    fileprivate func hasRouteInForce(at now: Timestamp) -> Bool {
        guard self.route != nil, self.mode == .enforce else { return false }
        let hasBegun = self.schedule.enforceFrom.map { $0 <= now } ?? true
        let isIncluding = self.rollout.contains { step in
            step.percent > 0 && (step.at.map { $0 <= now } ?? true)
        }
        return hasBegun && (self.schedule.until.map { now < $0 } ?? true)
            && (self.rollout.isEmpty || isIncluding)
    }

    /// Whether the floor denies all clients in the ranges of a route.
    fileprivate func denies(_ route: Route) -> Bool {
        guard self.route == nil, let minimum, !route.versions.isEmpty else { return false }
        return route.versions.allSatisfy { $0.isEntirelyBelow(minimum) }
    }
}

extension Route {
    /// Whether this route is known to include all clients in the ranges of another route.
    fileprivate func includes(_ other: Route) -> Bool {
        (self.versions.isEmpty
            || !other.versions.isEmpty && other.versions.allSatisfy(self.versions.contains))
            && (self.builds.isEmpty
                || !other.builds.isEmpty && other.builds.allSatisfy(self.builds.contains))
    }
}
