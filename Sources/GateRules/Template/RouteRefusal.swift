package import GatePolicy

/// The `next:` that turns the route of a rule into a denial of the same clients.
package struct RouteRefusal: Sendable, Equatable {
    /// The reason why a route cannot be turned into a denial.
    package enum Obstacle: Error, Equatable {
        /// The rule has no route, or is in observe mode.
        case notEnforced
        /// The rule already has a `next`.
        case isPlanned
        /// The route selects only a share of the clients, and a denial would apply to all of them.
        case rollout
        /// The route selects every version, so no update would pass.
        case everyVersion
        /// The rule ends before the denial would start.
        case ends(Timestamp)
    }

    /// The number of days for which clients are warned before the denial.
    private static let warning: Int64 = 14

    package let ruleID: String
    /// The floor as a line of YAML: `next: { minimum: "4.0.0", … }`.
    package let text: String
    package let enforceFrom: Timestamp
    /// Whether the store URL is a placeholder, because the rule has none.
    package let needsStoreURL: Bool

    /// Creates the line that denies the route's clients.
    ///
    /// - Parameters:
    ///   - rule: The rule with the route.
    ///   - now: The current time; clients are warned from the next day on.
    ///   - day: The earliest day of the denial, as the number of days since 1970.
    /// - Throws: `Obstacle` if the route cannot be turned into a denial.
    package init(of rule: RuleDefinition, at now: Timestamp, from day: Int64) throws(Obstacle) {
        guard let route = rule.route, rule.mode == .enforce else { throw .notEnforced }
        guard rule.next.isEmpty else { throw .isPlanned }
        guard rule.rollout.allSatisfy({ $0.percent == 100 }) else { throw .rollout }
        guard !route.versions.isEmpty || !route.builds.isEmpty else { throw .everyVersion }
        let tomorrow = now.secondsSinceEpoch / Self.day + 1
        let start = max(day, tomorrow + Self.warning)
        let date = Self.time(start)
        if let end = rule.schedule.until, end <= date { throw .ends(end) }
        var floor = RuleDefinition(id: rule.id, match: rule.match)
        floor.schedule.warnFrom = Self.time(start - Self.warning)
        floor.schedule.enforceFrom = date
        if !route.builds.isEmpty {
            let versions: [VersionRange?] = route.versions.isEmpty ? [nil] : route.versions
            floor.blockedBuilds = versions.flatMap { version in
                route.builds.map { BlockedBuilds($0, of: version) }
            }
        } else if route.versions.count == 1, let bound = route.versions[0].soleUpperBound {
            floor.minimum = bound
        } else {
            floor.blocked = route.versions
        }
        self.ruleID = rule.id
        self.enforceFrom = date
        self.needsStoreURL = rule.storeURL == nil
        let link = self.needsStoreURL ? Self.placeholder(for: rule.match) : nil
        self.text = NextText(floor, besides: rule, storeURL: link).text
    }

    private static let day: Int64 = 86_400

    private static func time(_ day: Int64) -> Timestamp {
        Timestamp(secondsSinceEpoch: day * self.day)
    }

    private static func placeholder(for match: RuleMatch) -> String {
        match.platforms == [.android] ? PlaceholderURL.googlePlay : PlaceholderURL.appStore
    }
}

extension RouteRefusal.Obstacle: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notEnforced: "it is in observe mode"
        case .isPlanned: "it already has a 'next'"
        case .rollout: "it has a rollout, and a denial would apply to all of its clients"
        case .everyVersion: "it selects every version, so no update would pass"
        case .ends(let time): "it ends on \(time)"
        }
    }
}
