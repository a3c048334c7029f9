/// An evaluation of two rule sets for sample clients that represent all clients that a rule
/// distinguishes.
struct TransitionTrial {
    /// The maximum number of kinds of clients per rule, not counting versions.
    private static let kindLimit = 192
    private static let listLimit = 8
    /// The maximum number of overlapping rules whose clients are sampled.
    private static let ruleLimit = 64

    private let rule: RuleDefinition
    private let isGone: Bool
    private let old: RuleSet
    private let new: RuleSet
    private let points: FloorPoints
    private let kinds: [ClientIdentity]
    private let requests: [ComparedRequest]

    init(
        _ rule: RuleDefinition,
        _ successor: RuleDefinition?,
        _ plans: [RuleDefinition],
        _ old: RuleSet,
        _ new: RuleSet
    ) {
        // Overlapping rules may still deny some of the clients, so the clients of each such rule
        // are sampled separately.
        let besides = new.definition.rules.lazy
            .filter { $0.id != rule.id && $0.mode == .enforce && $0.match.overlaps(rule.match) }
            .prefix(Self.ruleLimit)
        let rules =
            rule.withNext + (successor?.withNext ?? []) + plans + besides.flatMap(\.withNext)
        let waits = rules.contains(where: \.dependsOnStores)
        let releases = waits ? (old.definition.releases + new.definition.releases) : []
        self.rule = rule
        self.isGone = successor == nil
        self.old = old
        self.new = new
        self.points = FloorPoints(rules, releases: releases.compactMap(\.version))
        let others =
            [successor?.match].compactMap { $0 } + plans.map(\.match) + besides.map(\.match)
        self.kinds = Self.kinds(of: rule.match, others, rules, releases)
        self.requests = Self.requests(of: rule.match, others)
    }

    private static func kinds(
        of match: RuleMatch,
        _ others: [RuleMatch],
        _ rules: [RuleDefinition],
        _ releases: [Release]
    ) -> [ClientIdentity] {
        func values<Value: Hashable>(
            _ part: (RuleMatch) -> [Value]?,
            _ more: [Value],
            or other: Value
        ) -> [Claim<Value>] {
            if let own = part(match) { return own.prefix(Self.listLimit).map { .stated($0) } }
            // For an unrestricted rule, the values are those of the other rules, a value that none
            // of them contains, and a missing value.
            let named = others.flatMap { part($0) ?? [] } + more
            return [.stated(other), .missing]
                + Set(named).prefix(Self.listLimit).map { .stated($0) }
        }
        let systems = (match.osVersions ?? []) + others.flatMap { $0.osVersions ?? [] }
        let axis = VersionAxis(cuts: systems.flatMap(\.bounds))
        let osVersions: [Claim<AppVersion>] =
            systems.isEmpty
            ? [.missing] + axis.points.suffix(1).map { .stated($0.version) }
            : axis.points.map(\.version)
                .filter { version in match.osVersions?.contains { $0.contains(version) } ?? true }
                .map { .stated($0) }
        var kinds = ComparedDevices(rules).samples.map { ClientIdentity(device: $0.device) }
        func vary<Value>(_ path: WritableKeyPath<ClientIdentity, Value>, _ values: [Value]) {
            guard kinds.count * values.count <= Self.kindLimit else {
                // If there are too many combinations, each kind gets one of the values in turn.
                for index in kinds.indices {
                    kinds[index][keyPath: path] = values[index % values.count]
                }
                return
            }
            kinds = kinds.flatMap { kind in
                values.map { value in
                    var kind = kind
                    kind[keyPath: path] = value
                    return kind
                }
            }
        }
        let other = "any-other"
        vary(\.platform, values(\.platforms, releases.map(\.platform), or: Platform(other)))
        vary(\.app, values({ $0.apps?.map(\.example) }, releases.compactMap(\.app), or: other))
        let channels = releases.compactMap(\.channel)
        vary(\.channel, values({ $0.channels?.map { $0.lowercasedASCII } }, channels, or: other))
        if !osVersions.isEmpty { vary(\.osVersion, osVersions) }
        let countries = Set(
            rules.flatMap { $0.holdUntilInStore?.countries ?? [] }
                + releases.flatMap { $0.countries(awaitedBy: nil) }
        )
        if !countries.isEmpty {
            vary(\.storefront, [.missing] + countries.sorted().map { .stated($0) })
        }
        return kinds
    }

    private static func requests(of match: RuleMatch, _ others: [RuleMatch]) -> [ComparedRequest] {
        let named = others.flatMap { $0.requests ?? [] }
        let fillers = ComparedRequest.Fillers(besides: (match.requests ?? []) + named)
        guard let own = match.requests else {
            return [ComparedRequest(outside: fillers, label: "")]
                + named.prefix(Self.listLimit).map { ComparedRequest($0, fillers) }
        }
        return own.prefix(Self.listLimit).flatMap { pattern in
            ComparedRequest.each(pattern, fillers)
                + named.prefix(Self.listLimit).compactMap { ComparedRequest(pattern, $0, fillers) }
        }
    }

    /// Returns the clients that the rule denied and that now pass, grouped by plan.
    func openings(
        _ plans: [RuleSetTransition.Plan],
        at now: Timestamp
    ) -> [RuleSetTransition.Opening] {
        var opened: [Int?: Set<Int>] = [:]
        var closed: Set<Int> = []
        for request in self.requests {
            let (before, after) = (self.old.scope(of: request), self.new.scope(of: request))
            for kind in self.kinds {
                for point in self.points.points {
                    var client = kind
                    client.version = .stated(point.version)
                    client.build = point.build.map { .stated($0) } ?? .missing
                    let was = self.old.decide(client, in: before, at: now, address: nil)
                    // A brownout ends automatically, and its floor is not enforced yet.
                    guard was.kind == .require, was.brownout == nil, was.ruleID == self.rule.id
                    else { continue }
                    let becomes = self.new.decide(client, in: after, at: now, address: nil)
                    guard becomes.kind < .require else {
                        closed.insert(point.place)
                        continue
                    }
                    let plan = plans.firstIndex { plan in
                        !plan.floor.admits(point.version, build: point.build)
                            && self.new.judge.isMeant(client, in: after, by: plan.floor)
                    }
                    opened[plan, default: []].insert(point.place)
                }
            }
        }
        return opened.sorted { $0.key ?? -1 < $1.key ?? -1 }.map { plan, places in
            RuleSetTransition.Opening(
                rule: self.rule.id,
                isGone: self.isGone,
                versions: self.words(places),
                isPartial: !places.isDisjoint(with: closed),
                plan: plan.map { plans[$0] }
            )
        }
    }

    /// Returns the versions at the given axis indices as a string, with adjacent versions merged.
    private func words(_ places: Set<Int>) -> String {
        RangeSet(places.map { $0..<$0 + 1 }).ranges
            .map { self.points.axis.words(ClosedRange($0)) }.joined(separator: " and ")
    }
}
